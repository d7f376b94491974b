import { isManagerError, type ManagedServer, type ManagerError, type StartOutcome } from '@x/mcp-client-manager';
import type { CommonOptions } from './command-options.js';
import type { Stack } from './compose.js';
import type { Io } from './io.js';
import { showSteps } from './output/start-steps.js';

/**
 * Starts `servers` all at once, shows their steps, and waits until the registry knows the tools of each that came up.
 * A failed server does not keep the others from starting: who needs it is told when it is used.
 */
export async function startServers(
  stack: Stack,
  servers: readonly ManagedServer[],
  { verbose = false }: CommonOptions,
  io: Io,
): Promise<readonly StartOutcome[]> {
  using _steps = showSteps(stack, io, { isVerbose: verbose });
  // Awaited here: without, the steps would be let go of before the first of them is done.
  return await startEach(servers, io.signal);
}

/** The same without showing the steps. */
export function startEach(servers: readonly ManagedServer[], signal: AbortSignal): Promise<readonly StartOutcome[]> {
  return Promise.all(servers.map((server) => startOutcome(server, signal)));
}

/** The first failure among `outcomes` as an error, when nothing came up at all. */
export function nothingStarted(outcomes: readonly StartOutcome[]): unknown {
  if (outcomes.length === 0 || outcomes.some(({ status }) => status === 'started')) return undefined;
  return outcomes.flatMap((outcome) => (outcome.status === 'failed' ? [outcome.error] : []))[0];
}

async function startOutcome(server: ManagedServer, signal: AbortSignal): Promise<StartOutcome> {
  try {
    await server.start({ signal });
    return { server: server.name, status: 'started' };
  } catch (error) {
    signal.throwIfAborted();
    if (!isManagerError(error)) throw error;
    return { server: server.name, status: 'failed', error: error as ManagerError };
  }
}
