import { isManagerError, type ManagedServer, type ManagerError, type StartOutcome } from '@x/mcp-client-manager';

/**
 * Starts `servers` all at once. A failed one does not keep the others from starting: who needs it is told when it is used.
 */
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
