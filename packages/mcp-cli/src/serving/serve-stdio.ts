import type { Gateway } from '@x/mcp-gateway';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { EarlyInput } from './early-input.js';

export interface StdioServing {
  readonly role: string | undefined;
  /** What comes before the first answer. Given up when the client goes. */
  readonly start: (signal: AbortSignal) => Promise<void>;
}

/** Serves whoever has started `mcpx serve`, until they end stdin, do not read what they are sent, or interrupt. */
export async function serveStdio(gateway: Gateway, { role, start }: StdioServing, io: Io): Promise<ExitCode> {
  const { stdin, stdout, signal } = io;
  if (!(await isStarted(start, io))) return exitCodes.ok;
  const serving = gateway.serve({ ...(role !== undefined && { role }), stdin, stdout: stdout as never });
  stdin.resume();
  const end = () => void serving.close();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  await serving.closed;
  return signal.aborted ? exitCodes.interrupted : exitCodes.ok;
}

/** @returns Whether there is somebody to serve: not any more if they ended stdin meanwhile. */
async function isStarted(start: StdioServing['start'], { stdin, signal }: Io): Promise<boolean> {
  using early = new EarlyInput(stdin);
  try {
    await start(AbortSignal.any([signal, early.gone]));
  } catch (error) {
    if (signal.aborted || !early.gone.aborted) throw error;
  }
  return !early.gone.aborted;
}
