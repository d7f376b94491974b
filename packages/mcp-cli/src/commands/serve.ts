import { serveRegistry } from '@x/mcp-registry/server';
import packageJson from '../../package.json' with { type: 'json' };
import type { CommonOptions } from '../command-options.js';
import { openStack, viewFor } from '../compose.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { startServers } from '../start-servers.js';

/** How long a client may wait for its first answer so that slow servers are in its first list, in milliseconds. */
const startGraceMs = 5_000;

/**
 * `mcpx serve`: the registry as one MCP server on stdin and stdout, until stdin ends. Servers that take longer to start
 * than clients like to wait come in later, with a notice that the list has changed.
 */
export async function serve(options: CommonOptions & { role?: string }, io: Io): Promise<ExitCode> {
  await using stack = await openStack(options, io);
  const view = viewFor(stack, options.role);
  const wanted = stack.manager.servers().filter(({ status }) => status.autoStart);
  const started = startServers(stack, wanted, options, io);
  started.catch(() => undefined); // interrupted later than the grace: the handle's end tells it
  await Promise.race([started, graceOver(startGraceMs)]);

  const handle = serveRegistry(view, {
    name: 'mcpx',
    version: packageJson.version,
    stdin: io.stdin,
    stdout: io.stdout as never,
  });
  io.signal.addEventListener('abort', () => void handle.close(), { once: true });
  await handle.closed;
  return io.signal.aborted ? exitCodes.interrupted : exitCodes.ok;
}

function graceOver(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
