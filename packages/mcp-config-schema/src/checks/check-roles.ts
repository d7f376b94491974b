import { nearestName } from '@x/internal/names';
import { quoted } from '@x/internal/text';
import type { ConfigFile } from '../config-file.js';
import type { ConfigPath } from '../issues.js';
import type { SourceText } from '../source/source-text.js';
import { definedRoles } from '../tools/project-roles.js';
import { otherPlace } from './other-place.js';

// Looking for a similar name compares with every role there is; after this many nobody reads the suggestions.
const mostSuggestions = 100;
const mostShown = 10;

/** That `heir` inherits `parent`, and where it says so. */
interface Inheritance {
  readonly heir: string;
  readonly parent: string;
  readonly source: SourceText;
  readonly path: ConfigPath;
}

/**
 * Reports what nobody could make sense of: a role that inherits one that is not there or itself, and two defaults.
 *
 * @param options.isWhole - Every text could be read. What could not may hold the very role that would be missed.
 */
export function checkRoles(files: readonly ConfigFile[], { isWhole }: { readonly isWhole: boolean }): void {
  const links = inheritances(files);
  const known = definedRoles(files);
  if (isWhole) reportUnknown(links, known);
  reportRounds(links.filter(({ parent }) => known.has(parent)));
  reportDefaults(files);
}

function inheritances(files: readonly ConfigFile[]): readonly Inheritance[] {
  return files.flatMap(({ source, section, toolParts }) =>
    Array.from(toolParts, ([tool, { role_restrictions }]) =>
      Object.entries(role_restrictions).flatMap(([heir, { inherits = [] }]) =>
        inherits.map((parent, index) => {
          return { heir, parent, source, path: [section, tool, 'role_restrictions', heir, 'inherits', index] };
        }),
      ),
    ).flat(),
  );
}

function reportUnknown(links: readonly Inheritance[], known: ReadonlySet<string>): void {
  const unknown = links.filter(({ parent }) => !known.has(parent));
  for (const [index, { heir, parent, source, path }] of unknown.entries()) {
    const didYouMean = index < mostSuggestions ? nearestName(parent, known) : undefined;
    const hint =
      didYouMean === undefined ? 'write the role down, or remove it here' : `did you mean ${quoted(didYouMean)}?`;
    const message = `Role ${quoted(heir)} inherits ${quoted(parent)}, which no role_restrictions have`;
    source.report({ code: 'unknown-role', severity: 'error', message, role: parent, didYouMean, hint }, path);
  }
}

/** Goes down every way once. A link that leads to a role on the way there closes a round, and is the one reported. */
function reportRounds(links: readonly Inheritance[]): void {
  const linksOf = new Map<string, Inheritance[]>();
  for (const link of links) {
    const same = linksOf.get(link.heir);
    if (same === undefined) linksOf.set(link.heir, [link]);
    else same.push(link);
  }

  const done = new Set<string>();
  const onWay = new Set<string>();
  // A list of its own, because a way may be longer than the engine's stack.
  const way: { readonly role: string; readonly left: Inheritance[] }[] = [];
  const enter = (role: string) => {
    way.push({ role, left: [...(linksOf.get(role) ?? [])].reverse() });
    onWay.add(role);
  };
  for (const start of linksOf.keys()) {
    if (!done.has(start)) enter(start);
    for (let current = way.at(-1); current !== undefined; current = way.at(-1)) {
      const link = current.left.pop();
      if (link === undefined) {
        done.add(current.role);
        onWay.delete(current.role);
        way.pop();
      } else if (onWay.has(link.parent)) {
        reportRound(
          link,
          way.slice(way.findIndex(({ role }) => role === link.parent)).map(({ role }) => role),
        );
      } else if (!done.has(link.parent)) {
        enter(link.parent);
      }
    }
  }
}

function reportRound({ parent, source, path }: Inheritance, round: readonly string[]): void {
  const roles = [...round.slice(0, mostShown - 1), parent];
  const message = `Role ${roles.map(quoted).join(' inherits ')}: no role can inherit itself`;
  source.report({ code: 'circular-roles', severity: 'error', message, roles, hint: 'remove one of these' }, path);
}

function reportDefaults(files: readonly ConfigFile[]): void {
  let first: { readonly role: string; readonly source: SourceText; readonly path: ConfigPath } | undefined;
  for (const { source, section, toolParts } of files) {
    for (const [tool, { role_restrictions }] of toolParts) {
      for (const [role, restrictions] of Object.entries(role_restrictions)) {
        if (restrictions.default !== true) continue;
        const path = [section, tool, 'role_restrictions', role, 'default'];
        first ??= { role, source, path };
        if (first.role === role) continue;
        const place = first.source.position(first.path, { part: 'key' });
        const message = `Role ${quoted(role)} cannot be the default: ${quoted(first.role)} is, ${otherPlace(place, source)}`;
        const fault = {
          code: 'second-default',
          severity: 'error',
          message,
          role,
          first: { role: first.role, ...place },
        } as const;
        source.report({ ...fault, hint: 'remove one of the two' }, path, { part: 'key' });
      }
    }
  }
}
