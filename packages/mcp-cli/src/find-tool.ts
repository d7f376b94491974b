import type { ToolDescription } from '@x/mcp-registry';
import type { CommonOptions } from './command-options.js';
import type { Control } from './control/control.js';
import { ControlError, isControlError } from './control/control-error.js';
import type { ServerRow } from './control/reports.js';
import { whyOutOfReach } from './fleet/elsewhere.js';
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
 * may not use and one that there is not are the same here, too, and no server is started for either.
 *
 * @throws {ControlError} `unknown-tool`, and what a server failed with that the tool may be of.
 */
export async function findTool(control: Control, options: FindToolOptions, io: Io): Promise<ToolDescription> {
  const known = await knownTool(control, options, io);
  if (!isControlError(known)) return known;
  const servers = await serversToAsk(control, options, io);
  if (servers.length === 0) throw await whyUnknown(control, known, options, io);
  requireOne(await startServers(control, servers, options, io), options, io);
  const found = await knownTool(control, options, io);
  if (isControlError(found)) throw await whyUnknown(control, found, options, io);
  return found;
}

/** The same among what is known already. Starts nothing. */
async function knownTool(
  control: Control,
  { tool, role }: FindToolOptions,
  { signal }: Io,
): Promise<ToolDescription | ControlError> {
  try {
    return await control.describe({ tool, role, signal });
  } catch (error) {
    if (!isControlError(error) || error.code !== 'unknown-tool') throw error;
    const name = await publicName(control, { tool, role }, signal);
    return name === undefined ? error : await control.describe({ tool: name, role, signal });
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
    const { tools } = await control.search({ request: { query: tool, server, limit: 100 }, role, signal });
    const hit = tools.find((each) => each.server === server && each.tool === own);
    if (hit) return hit.name;
  }
  return undefined;
}

/** Servers that the tool may belong to and that were not asked yet. Nothing is started for what a role may not use. */
async function serversToAsk(
  control: Control,
  { tool, role }: FindToolOptions,
  { signal }: Io,
): Promise<readonly string[]> {
  const { servers } = await control.status({ signal });
  const candidates = candidatesFor(tool, servers);
  if (role === undefined) return candidates.map(({ server }) => server);
  const mayBe = await Promise.all(
    candidates.map(({ server, own }) => own === undefined || control.mayUse({ role, server, tool: own, signal })),
  );
  return candidates.flatMap(({ server }, index) => (mayBe[index] ? [server] : []));
}

interface Candidate {
  readonly server: string;
  /** The tool's own name; `undefined` where the name that was written does not tell it. */
  readonly own: string | undefined;
}

/** Only a guess at where to look: which tool it is, the registry decides. */
function candidatesFor(tool: string, rows: readonly ServerRow[]): readonly Candidate[] {
  const named = rows.flatMap(({ name, state, runsElsewhere = false }) => {
    const start = [`mcp__${name}__`, `${name}.`, `${name}/`].find((prefix) => tool.startsWith(prefix));
    return start === undefined ? [] : [{ server: name, own: ownName(tool, start.length), state, runsElsewhere }];
  });
  if (named.length > 0) return named.filter(({ state, runsElsewhere }) => state !== 'running' && !runsElsewhere);
  const unknown = serversWithoutTools(rows);
  return rows.flatMap(({ name, autoStart }) =>
    autoStart && unknown.includes(name) ? [{ server: name, own: ownName(tool, 0) }] : [],
  );
}

/** A public name that ends in a digest has taken the place of one that is longer, or has other characters. */
function ownName(tool: string, start: number): string | undefined {
  return /^mcp__.*_[0-9a-z]{8}$/s.test(tool) ? undefined : tool.slice(start);
}

/** A host that is not there has no tools. Whoever may approve a tool is told that it waits for that: to others it does not exist. */
async function whyUnknown(
  control: Control,
  error: ControlError,
  { tool: wanted, role }: FindToolOptions,
  { signal }: Io,
): Promise<ControlError> {
  const outOfReach = whyOutOfReach((await control.status({ signal })).fleet, wanted);
  if (outOfReach !== undefined) return outOfReach;
  const { tools } = await control.pins({ signal }).catch((reason: unknown) => {
    // What is wrong with the file of approvals is told where they are shown.
    if (isControlError(reason) && reason.code === 'pin-store-failed') return { tools: [] };
    throw reason;
  });
  const held = tools.find(
    ({ name, server, tool, trust }) =>
      trust !== 'trusted' && [name, `${server}.${tool}`, `${server}/${tool}`].includes(wanted),
  );
  if (!held || (role !== undefined && !(await control.mayUse({ role, server: held.server, tool: held.tool, signal }))))
    return error;
  const why = held.trust === 'changed' ? 'it is not any more what was approved' : 'it waits for an approval';
  return new ControlError('unknown-tool', `The tool "${held.name}" is held back: ${why}.`, {
    hint: `Read it with "mcpx pins diff ${held.name}", then "mcpx pins approve ${held.name}".`,
  });
}
