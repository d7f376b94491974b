import { appLinkOf } from '@x/internal/app-tools';
import { isRecord } from '@x/internal/json';
import { BUILT_IN_TOOLS } from '@x/internal/names';
import { peekTool, peekTools, type ToolView } from '@x/internal/views';
import { wrongParams } from '../../server/methods/results.js';
import type { Audience } from '../audiences.js';
import type { NameOwners } from '../naming/name-owners.js';

/** Returns the servers with an app that the audience can open. */
export function appServers({ tools }: Pick<Audience, 'tools'>): ReadonlySet<string> {
  return new Set(appToolsOf(peekTools(tools)).map(({ server }) => server));
}

export function linksTo(
  { tools }: Pick<Audience, 'tools'>,
  app: { readonly server: string; readonly uri: string },
): boolean {
  return peekTools(tools).some((tool) => tool.server === app.server && appLinkOf(tool) === app.uri);
}

/**
 * Finds the public name of a tool that an app calls by its server's own name. Only tools of servers with apps count. A
 * name stays that of its first server.
 *
 * @returns `name`, if there is no such tool.
 * @throws {ProtocolError} -32602 naming the tools, if several have the name.
 */
export function publicAppTool({ view, tools, names: { apps } }: Audience, name: string): string {
  if (BUILT_IN_TOOLS.has(name) || (peekTool(view, name) ?? peekTool(tools, name)) !== undefined) return name;
  const all = ownNames(peekTools(tools), apps).get(name);
  if (all === undefined) return name;
  const [tool, ...others] = all;
  if (tool !== undefined && others.length === 0 && apps.ownerOf(name) === tool.server) return tool.name;
  const names = all.map((each) => each.name).join(', ');
  throw wrongParams(
    `Tools of several servers have the name ${JSON.stringify(name)}; call one by its whole name: ${names}`,
  );
}

/** Awards the names, so that a listed name keeps its server. */
export function recordAppTools({ tools, names: { apps } }: Audience): void {
  ownNames(peekTools(tools), apps);
}

type OwnNames = ReadonlyMap<string, readonly ToolView[]>;

const known = new WeakMap<NameOwners, WeakMap<readonly ToolView[], OwnNames>>();

function ownNames(tools: readonly ToolView[], owners: NameOwners): OwnNames {
  const ofOwners = known.get(owners) ?? new WeakMap<readonly ToolView[], OwnNames>();
  known.set(owners, ofOwners);
  const found = ofOwners.get(tools) ?? readNames(tools, owners);
  ofOwners.set(tools, found);
  return found;
}

function readNames(tools: readonly ToolView[], owners: NameOwners): OwnNames {
  const servers = new Set(appToolsOf(tools).map(({ server }) => server));
  const byName = new Map<string, ToolView[]>();
  for (const tool of tools) {
    if (tool.server === undefined || !servers.has(tool.server) || !isForApps(tool)) continue;
    byName.set(tool.tool, [...(byName.get(tool.tool) ?? []), tool]);
  }
  for (const [name, same] of byName)
    owners.award(
      name,
      same.map(({ server = '' }) => server),
    );
  owners.trim(byName);
  return byName;
}

function appToolsOf(tools: readonly ToolView[]): readonly (ToolView & { readonly server: string })[] {
  return tools.flatMap((tool) => {
    const { server } = tool;
    return server !== undefined && appLinkOf(tool) !== undefined ? [{ ...tool, server }] : [];
  });
}

/** By default, a tool is for models and apps. */
function isForApps({ _meta: meta }: ToolView): boolean {
  const visibility = isRecord(meta?.ui) ? meta.ui.visibility : undefined;
  return !Array.isArray(visibility) || visibility.includes('app');
}
