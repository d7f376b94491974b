import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { QueueBounds } from '../queue-bounds.js';
import { DEFAULT_STALL_MS } from '../requests/http-limits.js';
import { checkWhole, MAX_TIMER_MS } from '../whole-numbers.js';
import { StdioTransport } from './stdio-transport.js';

/** The streams of a connection. */
export interface StdioOptions {
  /** Where requests come from. Default: the process's stdin. */
  readonly stdin?: Readable | undefined;
  /** Where answers go to. Nothing but protocol may be written there. Default: the process's stdout. */
  readonly stdout?: Writable | undefined;
  /** Serves this connection rather than `stdin` and `stdout`. */
  readonly transport?: Transport | undefined;
  /**
   * Most that may wait on `stdout` for a client that does not read, in bytes. One more message, and the connection ends.
   * A single message may be larger. Default 64 MiB.
   */
  readonly maxQueuedBytes?: number | undefined;
  /** How long something may wait on `stdout` with nothing being taken, in milliseconds; then it ends. Default 60 000. */
  readonly maxStallMs?: number | undefined;
}

/** A connection that is being served. */
export interface RegistryServing extends AsyncDisposable {
  /**
   * Resolves when the connection is over: the client has ended its side or does not read, the stream broke, or `close()`.
   * What was sent has been taken then, or was given up after a short grace.
   */
  readonly closed: Promise<void>;
  /** Ends the connection and aborts what it has under way. Leaves alone what it serves. May be called twice. */
  close(): Promise<void>;
}

/** How a client is reached. */
export interface StdioLink {
  readonly transport: Transport;
  /** Resolves once what was sent has been taken or given up. To be asked when the connection is over. */
  readonly taken: () => Promise<void>;
}

/** @throws {TypeError} naming the option that is out of its bounds. */
export function openLink({ stdin, stdout, transport, ...bounds }: StdioOptions): StdioLink {
  const checked = resolveBounds(bounds);
  if (transport !== undefined) return { transport, taken: () => Promise.resolve() };
  const own = new StdioTransport(checked, stdin, stdout);
  return { transport: own, taken: () => own.taken() };
}

/** All answers of one client wait in one place, so that there is more room than for one answer over HTTP. */
function resolveBounds({
  maxQueuedBytes = 64 * 1024 * 1024,
  maxStallMs = DEFAULT_STALL_MS,
}: Pick<StdioOptions, 'maxQueuedBytes' | 'maxStallMs'>): QueueBounds {
  checkWhole({ maxQueuedBytes }, Number.MAX_SAFE_INTEGER);
  checkWhole({ maxStallMs }, MAX_TIMER_MS);
  return { maxQueuedBytes, maxStallMs };
}

/** @param hooks.onOver - Called once the connection is over, before `closed` resolves. */
export function serveConnection(
  open: Parameters<typeof serveStdio>[0],
  { transport, taken }: StdioLink,
  { onError, onOver }: { readonly onError: ((error: Error) => void) | undefined; readonly onOver: () => void },
): RegistryServing {
  const serving = serveStdio(open, { transport, ...(onError === undefined ? {} : { onerror: onError }) });
  const closed = whenClosed(transport).then(onOver).then(taken);
  const close = async () => {
    await serving.close();
    await closed;
  };
  return { closed, close, [Symbol.asyncDispose]: close };
}

/** To be asked after `serveStdio`, which sets the transport's callback itself and offers none. */
function whenClosed(transport: Transport): Promise<void> {
  return new Promise((resolve) => {
    const next = transport.onclose;
    transport.onclose = () => {
      next?.();
      resolve();
    };
  });
}
