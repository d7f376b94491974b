import type { OfferedTool, ToolDescription } from '@x/mcp-registry';
import type { CommonOptions } from './command-options.js';
import type { Control } from './control/control.js';
import { ControlError, isControlError } from './control/control-error.js';
import type { ToolOwnerReport } from './control/reports.js';
import { whyOutOfReach } from './fleet/elsewhere.js';
import type { Io } from './io.js';
import { requireOne, startServers } from './start-needed.js';

export interface FindToolOptions extends CommonOptions {
  /** Public name, or `server.tool` or `server/tool` with the tool's own name. */
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
  const { tool, role } = options;
  const owners = await control.toolOwners({ tool, role, signal: io.signal });
  const servers = owners.filter(({ mayStart }) => mayStart).map(({ server }) => server);
  if (servers.length === 0) throw await whyUnknown(control, known, { ...options, owners }, io);
  requireOne(await startServers(control, servers, options, io), options, io);
  const found = await knownTool(control, options, io);
  if (isControlError(found)) throw await whyUnknown(control, found, { ...options, owners }, io);
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
    return error;
  }
}

/** A node that is not there has no tools. Whoever may approve a tool is told that it waits for that: to others it does not exist. */
async function whyUnknown(
  control: Control,
  error: ControlError,
  { tool: wanted, role, owners }: FindToolOptions & { readonly owners: readonly ToolOwnerReport[] },
  { signal }: Io,
): Promise<ControlError> {
  const outOfReach = whyOutOfReach((await control.status({ signal })).fleet, wanted);
  if (outOfReach !== undefined) return outOfReach;
  const { tools } = await control.pins({ signal }).catch((reason: unknown) => {
    // What is wrong with the file of approvals is told where they are shown.
    if (isControlError(reason) && reason.code === 'pin-store-failed') return { tools: [] };
    throw reason;
  });
  const isMeant = ({ name, server, tool }: OfferedTool) =>
    name === wanted || owners.some((owner) => owner.server === server && owner.tool === tool);
  const held = tools.find((tool) => tool.trust !== 'trusted' && isMeant(tool));
  if (!held || (role !== undefined && !(await control.mayUse({ role, server: held.server, tool: held.tool, signal }))))
    return error;
  const why = held.trust === 'changed' ? 'it is not any more what was approved' : 'it waits for an approval';
  return new ControlError('unknown-tool', `The tool "${held.name}" is held back: ${why}.`, {
    hint: `Read it with "mcpx pins diff ${held.name}", then "mcpx pins approve ${held.name}".`,
  });
}
