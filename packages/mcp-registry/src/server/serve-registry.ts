import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createSurface } from '../serving/surface.js';
import type { RegistryView } from '../view.js';
import { Announcer } from './announcer.js';
import { HeldView } from './held-view.js';
import { createRegistryServer } from './registry-server.js';
import { resolveServing, type ServingOptions } from './serving-policy.js';
import { isWhole } from './whole-registry.js';

export interface ServeRegistryOptions extends ServingOptions {
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
  /** Ends the connection and aborts the calls that it has under way. Leaves the registry alone. May be called twice. */
  close(): Promise<void>;
}

/**
 * Serves a view as an MCP server over stdio, to clients of the 2026-07-28 revision and of those before it: the first
 * message decides. Tools appear and go as they do in the view.
 *
 * @throws {TypeError} naming the option that is out of its bounds.
 */
export function serveRegistry(
  served: RegistryView,
  { stdin, stdout, transport: given, ...options }: ServeRegistryOptions = {},
): RegistryServing {
  const policy = resolveServing(options);
  const transport = given ?? new StdioServerTransport(stdin, stdout);
  const view = new HeldView(createSurface(served, policy.surface));
  const cacheScope = isWhole(served) ? 'public' : 'private';
  const announcer = new Announcer(view, policy.onError);
  const serving = serveStdio(({ era }) => announcer.follow(createRegistryServer(view, policy, { cacheScope }), era), {
    transport,
    ...(policy.onError === undefined ? {} : { onerror: policy.onError }),
  });
  const closed = whenClosed(transport).then(() => view.end());
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
