import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { RegistryView } from '../view.js';
import { createRegistryServer } from './registry-server.js';

export interface ServeRegistryOptions {
  /** What the server calls itself. Default `mcp-registry`. */
  readonly name?: string | undefined;
  /** Version of the app that serves. Default `0.0.0`. */
  readonly version?: string | undefined;
  /** Told to clients when they connect: how to use these tools. Default: to search before giving up. */
  readonly instructions?: string | undefined;
  /** Where requests come from. Default: the process's stdin. */
  readonly stdin?: Readable | undefined;
  /** Where answers go to. Nothing but protocol may be written there. Default: the process's stdout. */
  readonly stdout?: Writable | undefined;
  /** Serves this connection rather than `stdin` and `stdout`. */
  readonly transport?: Transport | undefined;
  /** Told of messages that cannot be read and answers that cannot be sent. Default: nobody is. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A connection that is being served. */
export interface RegistryServing extends AsyncDisposable {
  /** Resolves when the connection is over: the client has ended its side, the stream broke, or `close()`. */
  readonly closed: Promise<void>;
  /** Ends the connection and aborts the calls that it has under way. Leaves the registry alone. May be called twice. */
  close(): Promise<void>;
}

const INSTRUCTIONS =
  'These tools come from several servers and may change while you are connected. ' +
  'Call search_mcp_tools to find the tool for a task.';

/**
 * Serves a view as an MCP server over stdio, to clients of the 2026-07-28 revision and of those before it: the first
 * message decides. Tools appear and go as they do in the view.
 */
export function serveRegistry(
  view: RegistryView,
  {
    name = 'mcp-registry',
    version = '0.0.0',
    instructions = INSTRUCTIONS,
    stdin,
    stdout,
    transport = new StdioServerTransport(stdin, stdout),
    onError,
  }: ServeRegistryOptions = {},
): RegistryServing {
  const serving = serveStdio(({ era }) => createRegistryServer(view, { name, version, instructions, era, onError }), {
    transport,
    ...(onError === undefined ? {} : { onerror: onError }),
  });
  const closed = whenClosed(transport);
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
