import type { ToolDescription } from '@x/mcp-registry';
import type { CommonOptions } from './command-options.js';
import type { Control, ServerRow } from './control/control.js';
import { type ControlError, isControlError } from './control/control-error.js';
import type { Io } from './io.js';
import { serversWithoutTools } from './servers-without-tools.js';
import { requireOne, startServers } from './start-needed.js';

export interface FindToolOptions extends CommonOptions {
  /** Public name, or `server.tool` with the tool's own name. */
  readonly tool: string;
  readonly role?: string | undefined;
}

/**
 * What is known of a tool. Starts the servers that it may belong to when nobody knows it yet. To a role, a tool that it
 * may not use and one that there is not are the same here, too.
 *
 * @throws {ControlError} `unknown-tool`, and what a server failed with that the tool may be of.
 */
export async function findTool(control: Control, options: FindToolOptions, io: Io): Promise<ToolDescription> {
  const known = await knownTool(control, options, io);
  if (!isControlError(known)) return known;
  const { servers } = await control.status({ signal: io.signal });
  const candidates = candidatesFor(options.tool, servers);
  if (candidates.length === 0) throw known;
  requireOne(await startServers(control, candidates, options, io), options, io);
  const found = await knownTool(control, options, io);
  if (isControlError(found)) throw found;
  return found;
}

/** The same among what is known already. Starts nothing. */
async function knownTool(
  control: Control,
  { tool, role }: FindToolOptions,
  { signal }: Io,
): Promise<ToolDescription | ControlError> {
  try {
    return await control.describe(tool, { role, signal });
  } catch (error) {
    if (!isControlError(error) || error.code !== 'unknown-tool') throw error;
    const name = await publicName(control, { tool, role }, signal);
    return name === undefined ? error : await control.describe(name, { role, signal });
  }
}

/** For `server.tool`, which people know from role rules: names may have dots in them, so each is tried. */
async function publicName(
  control: Control,
  { tool, role }: FindToolOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const { index } of tool.matchAll(/[./]/g)) {
    const server = tool.slice(0, index);
    const own = tool.slice(index + 1);
    if (server === '' || own === '') continue;
    const { tools } = await control.search({ query: tool, server, limit: 100 }, { role, signal });
    const hit = tools.find((each) => each.server === server && each.tool === own);
    if (hit) return hit.name;
  }
  return undefined;
}

/** Only a guess at where to look: which tool it is, the registry decides. */
function candidatesFor(tool: string, rows: readonly ServerRow[]): readonly string[] {
  const named = rows.filter(({ name }) =>
    [`mcp__${name}__`, `${name}.`, `${name}/`].some((start) => tool.startsWith(start)),
  );
  if (named.length > 0) return named.flatMap(({ name, state }) => (state === 'running' ? [] : [name]));
  const unknown = serversWithoutTools(rows);
  return rows.flatMap(({ name, autoStart }) => (autoStart && unknown.includes(name) ? [name] : []));
}
