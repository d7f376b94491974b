import { once } from 'node:events';
import { packageEntry } from './own-packages.mjs';

/**
 * A gateway of ours with servers behind it that have all been started, as a host app would make it.
 *
 * @param options - Those of the manager, and the gateway's `onProblem`. Default: problems are printed.
 */
export async function openGateway(servers, { onProblem = printProblem, ...options } = {}) {
  const { createClientManager } = await import(packageEntry('mcp-client-manager'));
  const { createRegistry } = await import(packageEntry('mcp-registry'));
  const { createGateway, createHttpServer } = await import(packageEntry('mcp-gateway'));
  const manager = createClientManager({ servers }, options);
  const registry = createRegistry();
  for (const source of manager.servers()) registry.attach(source);
  for (const { status, error } of await manager.start()) if (status === 'failed') throw error;
  const gateway = createGateway({ registry, upstreams: manager, onProblem });
  return {
    manager,
    registry,
    gateway,

    /** On a free port of loopback. */
    serveHttp: async (options) => {
      // As many clients may come in one moment as the bench has.
      const place = { port: 0, host: '127.0.0.1', backlog: 4_096 };
      const server = createHttpServer(gateway.handler(options)).listen(place);
      await once(server, 'listening');
      return { server, url: `http://127.0.0.1:${server.address().port}/mcp` };
    },

    close: async () => {
      await gateway.close();
      await manager.close();
      await registry.close();
    },
  };
}

function printProblem({ message }) {
  console.error(message);
}
