import type { Readable } from 'node:stream';
import type { Gateway } from '@x/mcp-gateway';
import type { ExitCode, Io } from '../command.js';
import { exitCodes } from '../command.js';
import { drain } from './drain.js';

interface StdioServing {
  readonly role: string | undefined;
  readonly drainMs: number;
  /** Runs before the first response. The signal aborts when the client ends. */
  readonly start: (signal: AbortSignal) => Promise<void>;
}

/**
 * Serves the process that started `mcpx serve` until it closes stdin, stops reading or interrupts. An interruption lets
 * open requests finish within `drainMs`.
 */
export async function serveStdio(gateway: Gateway, { role, drainMs, start }: StdioServing, io: Io): Promise<ExitCode> {
  const { stdin, stdout, signal } = io;
  if (!(await isStarted(start, io))) return exitCodes.ok;
  const serving = gateway.serve({ ...(role !== undefined && { role }), stdin, stdout: stdout as never });
  stdin.resume();
  let isDrained = true;
  const end = async () => {
    isDrained = await drain(serving, drainMs, io);
    await serving.close();
  };
  const onAbort = () => void end();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  await serving.closed;
  return isDrained ? exitCodes.ok : exitCodes.interrupted;
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

/** Bytes buffered, at most. A client that sends more blocks. */
const maxEarlyBytes = 1_048_576;

/**
 * Buffers stdin until serving starts, to detect the end of the client meanwhile. Disposal puts the bytes back.
 */
export class BufferedStdin implements Disposable {
  readonly #stdin: Readable;
  readonly #gone = new AbortController();
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(stdin: Readable) {
    this.#stdin = stdin;
    if (stdin.readableEnded || stdin.destroyed) this.#gone.abort();
    stdin.on('data', this.#keep).on('end', this.#end).on('close', this.#end).on('error', this.#end);
  }

  /** Aborts when the client closes stdin. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Restores stdin, paused. */
  [Symbol.dispose](): void {
    const stdin = this.#stdin;
    stdin.off('data', this.#keep).off('end', this.#end).off('close', this.#end).off('error', this.#end).pause();
    if (this.#chunks.length > 0 && !this.gone.aborted) stdin.unshift(Buffer.concat(this.#chunks.splice(0)));
  }

  readonly #keep = (chunk: Buffer | string): void => {
    const bytes = Buffer.from(chunk as Buffer);
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes > maxEarlyBytes) this.#stdin.pause();
  };

  readonly #end = (): void => this.#gone.abort();
}
