import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';

export interface StdioOptions {
  /** Where requests come from. Default: the process's stdin. */
  readonly stdin?: Readable | undefined;
  /** Where answers go to. Nothing but protocol may be written there. Default: the process's stdout. */
  readonly stdout?: Writable | undefined;
  /** Serves this connection rather than `stdin` and `stdout`. */
  readonly transport?: Transport | undefined;
}

/** A connection that is being served. */
export interface RegistryServing extends AsyncDisposable {
  /** Resolves when the connection is over: the client has ended its side, the stream broke, or `close()`. */
  readonly closed: Promise<void>;
  /** Ends the connection and aborts what it has under way. Leaves alone what it serves. May be called twice. */
  close(): Promise<void>;
}

export function transportOf({ stdin, stdout, transport }: StdioOptions): Transport {
  return transport ?? new StdioServerTransport(stdin, stdout);
}

/** @param hooks.onOver - Called once the connection is over, before `closed` resolves. */
export function serveConnection(
  open: Parameters<typeof serveStdio>[0],
  transport: Transport,
  { onError, onOver }: { readonly onError: ((error: Error) => void) | undefined; readonly onOver: () => void },
): RegistryServing {
  const serving = serveStdio(open, { transport, ...(onError === undefined ? {} : { onerror: onError }) });
  const closed = whenClosed(transport).then(onOver);
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
