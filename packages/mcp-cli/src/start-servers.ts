import { isManagerError, type ManagedServer, type ManagerError, type StartOutcome } from '@x/mcp-client-manager';

/** Starts `servers` in parallel. A failed one does not affect the others; calls to it report the failure. */
export function startEach(servers: readonly ManagedServer[], signal: AbortSignal): Promise<readonly StartOutcome[]> {
  return Promise.all(servers.map((server) => startOutcome(server, signal)));
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
