import type { Gateway } from '@x/mcp-gateway';
import { type ExitCode, exitCodes, type Io } from '../command.js';
import { BufferedStdin } from './buffered-stdin.js';

export interface StdioServing {
  readonly role: string | undefined;
  /** Runs before the first response. The signal aborts when the client ends. */
  readonly start: (signal: AbortSignal) => Promise<void>;
}

/** Serves the process that started `mcpx serve` until it closes stdin, stops reading or interrupts. */
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

/** @returns False if the client closed stdin meanwhile. */
async function isStarted(start: StdioServing['start'], { stdin, signal }: Io): Promise<boolean> {
  using early = new BufferedStdin(stdin);
  try {
    await start(AbortSignal.any([signal, early.gone]));
  } catch (error) {
    if (signal.aborted || !early.gone.aborted) throw error;
  }
  return !early.gone.aborted;
}
