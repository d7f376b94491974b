import { nearestName } from '@x/internal/names';
import { quoted } from '@x/internal/text';
import { type ConfigFile, knownServers } from '../config-file.js';
import type { ConfigPath } from '../issues.js';
import { definedRoles } from '../resolve-tools.js';
import { relativePosition, type SourceText } from '../source/source-text.js';
import { hasMisplacedStar } from './rule-cover.js';

// Each is compared with every role.
const maxSuggestions = 100;
const maxShown = 10;

interface Inheritance {
  readonly child: string;
  readonly parent: string;
  readonly source: SourceText;
  readonly path: ConfigPath;
}

/**
 * Reports roles that inherit an unknown role or themselves, and second defaults.
 *
 * @param options.isWhole - False if an unreadable text may define an unknown role.
 */
export function checkRoles(files: readonly ConfigFile[], { isWhole }: { readonly isWhole: boolean }): void {
  const links = inheritances(files);
  const known = definedRoles(files);
  if (isWhole) reportUnknown(links, known);
  reportCycles(links.filter(({ parent }) => known.has(parent)));
  reportDefaults(files);
}

function inheritances(files: readonly ConfigFile[]): readonly Inheritance[] {
  return files.flatMap(({ source, section, toolParts }) =>
    Array.from(toolParts, ([tool, { role_restrictions }]) =>
      Object.entries(role_restrictions).flatMap(([child, { inherits = [] }]) =>
        inherits.map((parent, index) => {
          return { child, parent, source, path: [section, tool, 'role_restrictions', child, 'inherits', index] };
        }),
      ),
    ).flat(),
  );
}

function reportUnknown(links: readonly Inheritance[], known: ReadonlySet<string>): void {
  const unknown = links.filter(({ parent }) => !known.has(parent));
  for (const [index, { child, parent, source, path }] of unknown.entries()) {
    const didYouMean = index < maxSuggestions ? nearestName(parent, known) : undefined;
    const hint =
      didYouMean === undefined ? 'define the role, or remove it here' : `did you mean ${quoted(didYouMean)}?`;
    const message = `Role ${quoted(child)} inherits ${quoted(parent)}, which is not defined in any role_restrictions`;
    source.report({ code: 'unknown-role', severity: 'error', message, role: parent, didYouMean, hint }, path);
  }
}

/** Depth-first search for links to a role on the current path. */
function reportCycles(links: readonly Inheritance[]): void {
  const linksOf = new Map<string, Inheritance[]>();
  for (const link of links) {
    const same = linksOf.get(link.child);
    if (same === undefined) linksOf.set(link.child, [link]);
    else same.push(link);
  }

  const done = new Set<string>();
  const onPath = new Set<string>();
  // An explicit stack, because a path may be longer than the call stack.
  const stack: { readonly role: string; readonly left: Inheritance[] }[] = [];
  const enter = (role: string) => {
    stack.push({ role, left: [...(linksOf.get(role) ?? [])].reverse() });
    onPath.add(role);
  };
  for (const start of linksOf.keys()) {
    if (!done.has(start)) enter(start);
    for (let current = stack.at(-1); current !== undefined; current = stack.at(-1)) {
      const link = current.left.pop();
      if (link === undefined) {
        done.add(current.role);
        onPath.delete(current.role);
        stack.pop();
      } else if (onPath.has(link.parent)) {
        reportCycle(
          link,
          stack.slice(stack.findIndex(({ role }) => role === link.parent)).map(({ role }) => role),
        );
      } else if (!done.has(link.parent)) {
        enter(link.parent);
      }
    }
  }
}

function reportCycle({ parent, source, path }: Inheritance, cycle: readonly string[]): void {
  const roles = [...cycle.slice(0, maxShown - 1), parent];
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
        const message = `Role ${quoted(role)} cannot be the default: ${quoted(first.role)} is, ${relativePosition(place, source)}`;
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

export function checkStars(files: readonly ConfigFile[]): void {
  const known = knownServers(files);
  for (const { source, section, toolParts } of files) {
    for (const [tool, { role_restrictions }] of toolParts) {
      for (const [role, restrictions] of Object.entries(role_restrictions)) {
        for (const key of ['allowed_tools', 'allowed_resources', 'allowed_prompts'] as const) {
          for (const [index, rule] of (restrictions[key] ?? []).entries()) {
            if (!hasMisplacedStar(rule, known)) continue;
            const path = [section, tool, 'role_restrictions', role, key, index];
            source.report({ code: 'misplaced-star', severity: 'warning', rule, ...wordsFor(key, rule) }, path);
          }
        }
      }
    }
  }
}

const wordsOfKey = {
  allowed_tools: { of: 'the name of a tool', hint: '"git" and "git.*" allow all tools of git' },
  allowed_resources: { of: 'the URI of a resource', hint: '"files" and "files.*" allow all resources of files' },
  allowed_prompts: { of: 'the name of a prompt', hint: '"git" and "git.*" allow all prompts of git' },
} as const;

function wordsFor(key: keyof typeof wordsOfKey, rule: string) {
  const { of, hint } = wordsOfKey[key];
  const message = `${quoted(rule)} allows nothing: "*" matches text in ${of}, never a server`;
  return { message, hint: `name each server: ${hint}` };
}
