import type { Gateway } from '@x/mcp-registry/server';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';

/** Serves whoever has started `mcpx serve`, until they end stdin or interrupt. */
export async function serveStdio(
  gateway: Gateway,
  { role, start }: { readonly role: string | undefined; readonly start: () => Promise<void> },
  io: Io,
): Promise<ExitCode> {
  await start();
  const { stdin, stdout } = io;
  const serving = gateway.serve({ ...(role !== undefined && { role }), stdin, stdout: stdout as never });
  const end = () => void serving.close();
  io.signal.addEventListener('abort', end, { once: true });
  if (io.signal.aborted) end();
  await serving.closed;
  return io.signal.aborted ? exitCodes.interrupted : exitCodes.ok;
}
