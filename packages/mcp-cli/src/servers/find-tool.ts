import type { ToolDescription } from '@x/mcp-registry';
import type { OfferedTool } from '@x/mcp-registry/trust';
import type { CommonOptions, Io } from '../command.js';
import type { Control } from '../control/control.js';
import { ControlError, isControlError } from '../control/control-error.js';
import type { ServerOutcome, ToolOwnerReport } from '../control/reports.js';
import { whyOutOfReach } from '../fleet/elsewhere.js';
import { printNote } from '../output/fit.js';
import { printableLine } from '../output/print.js';
import { requireAnyStarted, startServers } from './start-servers.js';

interface FindToolOptions extends CommonOptions {
  /** Public name, or `server.tool` or `server/tool` with the tool's original name. */
  readonly tool: string;
  readonly role?: string | undefined;
  /** Takes the only read-only tool that a misspelt name can mean, and says so on stderr. Default `false`. */
  readonly takesNear?: boolean;
}

/**
 * Description of a tool. If it is unknown, starts the servers that may have it. For a role, forbidden and unknown tools
 * are indistinguishable, and no server starts for either.
 *
 * @throws {ControlError} `unknown-tool`, or the failure of a server that may have the tool.
 */
export async function findTool(control: Control, options: FindToolOptions, io: Io): Promise<ToolDescription> {
  const known = await knownTool(control, options, io);
  if (!isControlError(known)) return known;
  const { tool, role } = options;
  const owners = await control.toolOwners({ tool, role, signal: io.signal });
  const servers = owners.filter(({ mayStart }) => mayStart).map(({ server }) => server);
  if (servers.length === 0) {
    // Its server may have listed it since.
    const listed = await knownTool(control, options, io);
    return isControlError(listed) ? nearOrThrow(control, listed, { ...options, owners }, io) : listed;
  }
  const outcomes = await startServers(control, servers, options, io);
  // The failure of a server is the answer only if the name says that it is the server's tool.
  const isGuess = owners.every((owner) => owner.tool === tool);
  if (!isGuess) requireAnyStarted(outcomes, options, io);
  const found = await knownTool(control, options, io);
  if (!isControlError(found)) return found;
  const error = isGuess ? withUnasked(found, outcomes) : found;
  return nearOrThrow(control, error, { ...options, owners }, io);
}

type UnknownTool = FindToolOptions & { readonly owners: readonly ToolOwnerReport[] };

/** @throws {ControlError} No other tool can be meant. */
async function nearOrThrow(
  control: Control,
  unknown: ControlError,
  options: UnknownTool,
  io: Io,
): Promise<ToolDescription> {
  const error = await unknownToolError(control, unknown, options, io);
  const { tool, role, takesNear = false } = options;
  // Another error says that the tool exists, but cannot be used.
  if (error !== unknown || !takesNear) throw error;
  const { name } = await control.nearTool({ tool, role, signal: io.signal });
  if (name === undefined) throw error;
  const [asked, near] = [printableLine(tool, 200), printableLine(name, 200)];
  printNote(`There is no tool named "${asked}". Calling "${near}", the only one that it can mean.`, io);
  return control.describe({ tool: name, role, signal: io.signal });
}

/** Names the servers that may have the tool and did not start. */
function withUnasked(error: ControlError, outcomes: readonly ServerOutcome[]): ControlError {
  const failed = outcomes.flatMap(({ server, status }) => (status === 'failed' ? [server] : []));
  if (failed.length === 0) return error;
  const hint = `${error.hint ?? ''} These servers did not start and were not asked: ${failed.join(', ')}.`.trim();
  return new ControlError('unknown-tool', error.message, { hint, details: error.details });
}

/** The same without starting servers. */
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

/**
 * Adds to `unknown-tool` that a node is unreachable, or, for users who may approve the tool, that it waits for
 * approval.
 */
async function unknownToolError(
  control: Control,
  error: ControlError,
  { tool: toolName, role, owners }: UnknownTool,
  { signal }: Io,
): Promise<ControlError> {
  const outOfReach = whyOutOfReach((await control.status({ signal })).fleet, toolName);
  if (outOfReach !== undefined) return outOfReach;
  const { tools } = await control.pins({ signal }).catch((reason: unknown) => {
    // Commands that show pins report errors of their file.
    if (isControlError(reason) && reason.code === 'pin-store-failed') return { tools: [] };
    throw reason;
  });
  const isMeant = ({ name, server, tool }: OfferedTool) =>
    name === toolName || owners.some((owner) => owner.server === server && owner.tool === tool);
  const pending = tools.find((tool) => tool.trust !== 'trusted' && isMeant(tool));
  if (
    !pending ||
    (role !== undefined && !(await control.mayUse({ role, server: pending.server, tool: pending.tool, signal })))
  )
    return error;
  const why = pending.trust === 'changed' ? 'it has changed since its approval' : 'it waits for approval';
  return new ControlError('unknown-tool', `The tool "${pending.name}" is not offered: ${why}.`, {
    hint: `Read it with "mcpx pins diff ${pending.name}", then "mcpx pins approve ${pending.name}".`,
  });
}
