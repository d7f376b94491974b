import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ViewOptions } from '../role-views.js';
import { HeldView } from '../server/held-view.js';
import { GatewayConnection } from './connection.js';
import type { GatewayCore } from './gateway-core.js';
import { WatchedTransport } from './watched-transport.js';

export interface ServeGatewayOptions extends ViewOptions {
  /** Where requests come from. Default: the process's stdin. */
  readonly stdin?: Readable | undefined;
  /** Where answers go to. Nothing but protocol may be written there. Default: the process's stdout. */
  readonly stdout?: Writable | undefined;
  /** Serves this connection rather than `stdin` and `stdout`. */
  readonly transport?: Transport | undefined;
}

/** A connection that is being served. */
export interface GatewayServing extends AsyncDisposable {
  /** Resolves when the connection is over: the client has ended its side, the stream broke, or `close()`. */
  readonly closed: Promise<void>;
  /** Ends the connection and aborts what it has under way. Leaves the servers alone. May be called twice. */
  close(): Promise<void>;
}

/** Serves one connection, to a client of the 2026-07-28 revision or of those before it: the first message decides. */
export function serveGateway(
  core: GatewayCore,
  { stdin, stdout, transport: given, ...audience }: ServeGatewayOptions,
): GatewayServing {
  const { onError } = core.policy.serving;
  const view = new HeldView(core.audiences.of(audience).view);
  const connection = new GatewayConnection(core, view, { cacheScope: 'private' });
  const transport = new WatchedTransport(given ?? new StdioServerTransport(stdin, stdout), {
    onOpened: (stream, uris) => connection.listen(stream, uris),
    onEnded: (stream) => connection.endListening(stream),
  });
  const serving = serveStdio(({ era }) => connection.open(era), { transport, ...(onError && { onerror: onError }) });
  const closed = whenClosed(transport).then(() => {
    connection.end();
    view.end();
  });
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
