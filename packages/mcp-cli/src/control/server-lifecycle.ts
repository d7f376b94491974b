import type { ManagedServer } from '@x/mcp-client-manager';
import { type Stack, serverNamed } from '../compose.js';
import type { FleetReport } from '../fleet/fleet-report.js';
import { startsAutomatically } from '../servers/server-rows.js';
import type { ServerHandlers, WaitOptions } from './control.js';
import type { ControlBase } from './control-base.js';
import { ControlError, controlErrorData } from './control-error.js';
import type { ServerOutcome } from './reports.js';
import { watchSteps } from './start-steps.js';

export function lifecycleControl(stack: Stack, base: ControlBase, fleetReport: () => FleetReport | undefined) {
  return {
    start: async ({ servers: names, signal, onStep }) => {
      const servers = chosenServers(stack, names, ({ name, status }) => {
        return startsAutomatically(status) && stack.runsHere(name);
      });
      using _steps = watchSteps(stack, base, onStep);
      return await outcomesOf(base, servers, { signal }, async (server) => {
        requireHere(stack, server, fleetReport());
        await server.start({ signal });
      });
    },
    stop: async ({ servers: names, signal }) => {
      const servers = chosenServers(stack, names, () => true);
      return await outcomesOf(base, servers, { signal }, (server) => server.stop());
    },
    restart: async ({ servers: names, signal, onStep }) => {
      const servers = chosenServers(stack, names, ({ state }) => state !== 'stopped');
      using _steps = watchSteps(stack, base, onStep);
      return await outcomesOf(base, servers, { signal }, async (server) => {
        requireHere(stack, server, fleetReport());
        await server.restart({ signal });
      });
    },
  } satisfies Partial<ServerHandlers>;
}

/** The named servers, or without names those that `otherwise` picks. */
export function chosenServers(
  stack: Stack,
  names: readonly string[] | undefined,
  otherwise: (server: ManagedServer) => boolean,
): readonly ManagedServer[] {
  return names ? names.map((name) => serverNamed(stack, name)) : stack.manager.servers().filter(otherwise);
}

/** @throws {ControlError} `runs-elsewhere`. */
function requireHere(stack: Stack, { name }: ManagedServer, fleet: FleetReport | undefined): void {
  if (stack.runsHere(name)) return;
  if (fleet?.phase === 'joined') {
    throw new ControlError('runs-elsewhere', `The fleet runs "${name}" once, and this node is not the one that does.`, {
      hint: 'Call its tools: that node starts it. "mcpx fleet status" shows which one it is.',
    });
  }
  const message = `The fleet runs "${name}" once, and this node has no word from the fleet: it may run elsewhere.`;
  throw new ControlError('runs-elsewhere', message, {
    hint: '"mcpx fleet status" shows what keeps it; "mcpx fleet leave" has this node run it on its own.',
    retryable: true,
  });
}

/** Runs the work for all servers in parallel. */
async function outcomesOf(
  { toControlError }: ControlBase,
  servers: readonly ManagedServer[],
  { signal }: WaitOptions,
  work: (server: ManagedServer) => Promise<void>,
): Promise<readonly ServerOutcome[]> {
  return Promise.all(
    servers.map(async (server): Promise<ServerOutcome> => {
      try {
        await work(server);
        return { server: server.name, status: 'done' };
      } catch (error) {
        signal?.throwIfAborted();
        return { server: server.name, status: 'failed', error: controlErrorData(toControlError(error)) };
      }
    }),
  );
}
