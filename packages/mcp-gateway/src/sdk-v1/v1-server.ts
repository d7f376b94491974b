import type { ServerRequest } from '@x/internal/contracts';

/** The used part of a `Server` of `@modelcontextprotocol/sdk` 1.x. Declared here, so that any installed copy fits. */
export interface V1Server {
  readonly transport?: unknown;
  /** Called when the connection ends. */
  onclose?: (() => void) | undefined;
  /** Called after the client's handshake. */
  oninitialized?: (() => void) | undefined;
  /** Declares tools, before the connection. */
  registerCapabilities(capabilities: { tools: { listChanged: boolean } }): void;
  /** A method of servers of 2.x, which differ in ways that types do not show. */
  readonly projectCallToolResult?: never;
  /** Sets the handler of one method. */
  setRequestHandler(schema: object, handler: (request: unknown, extra: unknown) => never): void;
  /** Removes a handler. */
  removeRequestHandler(method: string): void;
  /** Notifies the client of changed tools. */
  sendToolListChanged(): Promise<void>;
  /** `undefined` before the client's `initialize`. */
  getClientVersion(): unknown;
  /** `undefined` before the client's `initialize`. */
  getClientCapabilities(): unknown;
}

/** The used part of an `McpServer`. */
export interface V1McpServer {
  readonly server: V1Server;
  /** Adds a tool. */
  registerTool(name: string, config: object, callback: () => never): { remove(): void };
}

/** Context of a request for a handler. */
export interface V1Extra {
  readonly signal: AbortSignal;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  sendNotification(notification: {
    readonly method: 'notifications/progress';
    readonly params: Readonly<Record<string, unknown>>;
  }): Promise<void>;
  /** Sends a request to the client as part of its own. */
  sendRequest(
    request: ServerRequest,
    resultSchema: object,
    options: { readonly signal: AbortSignal; readonly timeout: number },
  ): Promise<Readonly<Record<string, unknown>>>;
}

export type V1Handler = (request: V1Request, extra: V1Extra) => unknown;

export interface V1Request {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

export const LIST = 'tools/list';
export const CALL = 'tools/call';

/** Returns the handlers. The field is private, but the same in all releases of 1.x. */
export function handlersOf(server: V1Server): Map<string, V1Handler> {
  const handlers = (Object(server) as { _requestHandlers?: unknown })._requestHandlers;
  // 2.x has the same field, with another signature.
  if (!(handlers instanceof Map) || 'projectCallToolResult' in server) {
    throw new TypeError(
      'server must be a Server or McpServer of @modelcontextprotocol/sdk 1.x; to serve with @modelcontextprotocol/server 2.x, ' +
        'use @x/mcp-gateway',
    );
  }
  return handlers;
}

/** Live names of an `McpServer`'s tools, if they can be read. */
export function registeredNames(server: V1McpServer): Readonly<Record<string, unknown>> | undefined {
  const tools = (server as { _registeredTools?: unknown })._registeredTools;
  return typeof tools === 'object' && tools !== null ? (tools as Readonly<Record<string, unknown>>) : undefined;
}

/** Declares tools, and makes an `McpServer` set its own handlers first. */
export function prepareServer(server: V1Server, mcp: V1McpServer | undefined): void {
  if (server.transport !== undefined) return;
  server.registerCapabilities({ tools: { listChanged: true } });
  // An McpServer sets them with its first tool and refuses to replace others, so a later registerTool() would fail.
  if (mcp !== undefined && !handlersOf(server).has(LIST)) {
    mcp.registerTool('mcp-registry-mount', {}, (() => ({ content: [] })) as never).remove();
  }
}

export function connectedTooEarly(cause: unknown): TypeError {
  return new TypeError(
    'The server is connected and has not declared tools to its client; mount the registry before connect(), or declare ' +
      '{ capabilities: { tools: {} } } when the server is made',
    { cause },
  );
}

/**
 * Adds a listener to a slot that holds one.
 *
 * @returns Removes the listener.
 */
export function chain(server: V1Server, slot: 'onclose' | 'oninitialized', listener: () => void): () => void {
  const next = server[slot];
  let isIn = true;
  const both = () => {
    if (isIn) listener();
    next?.();
  };
  server[slot] = both;
  return () => {
    isIn = false;
    if (server[slot] === both) server[slot] = next;
  };
}
