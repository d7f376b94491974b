/**
 * The required part of a `Server` of `@modelcontextprotocol/sdk` 1.x. Declared here rather than imported, so that the
 * server may be of any installed copy of it.
 */
export interface V1Server {
  readonly transport?: unknown;
  /** Called at the end of the connection. */
  onclose?: (() => void) | undefined;
  /** Called after the client's handshake. */
  oninitialized?: (() => void) | undefined;
  /** Declares tools. Only before the connection. */
  registerCapabilities(capabilities: { tools: { listChanged: boolean } }): void;
  /** Sets the handler of one method, in place of the previous one. */
  // biome-ignore lint/suspicious/noExplicitAny: generic over schemas there, and called here with those of this module alone.
  setRequestHandler(schema: any, handler: (request: any, extra: any) => any): void;
  /** Removes a handler. */
  removeRequestHandler(method: string): void;
  /** Notifies the client of changed tools. */
  sendToolListChanged(): Promise<void>;
  /** `undefined` before the client's `initialize`. */
  getClientVersion(): unknown;
}

/** The required part of an `McpServer`. */
export interface V1McpServer {
  readonly server: V1Server;
  /** Adds a tool until it is removed. */
  // biome-ignore lint/suspicious/noExplicitAny: generic over the schemas of a tool there.
  registerTool(name: string, config: any, callback: any): { remove(): void };
}

/** Context of a request for a handler. */
export interface V1Extra {
  readonly signal: AbortSignal;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  sendNotification(notification: {
    readonly method: 'notifications/progress';
    readonly params: Readonly<Record<string, unknown>>;
  }): Promise<void>;
}

export type V1Handler = (request: V1Request, extra: V1Extra) => unknown;

export interface V1Request {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** Handlers in the protocol class of 1.x: private to its types, and the same in all of its releases. */
export function handlersOf(server: V1Server): Map<string, V1Handler> {
  const handlers = (server as { _requestHandlers?: unknown })._requestHandlers;
  // 2.x keeps its handlers in the same place, with another signature.
  if (!(handlers instanceof Map) || 'projectCallToolResult' in server) {
    throw new TypeError(
      'server must be a Server or McpServer of @modelcontextprotocol/sdk 1.x; to serve with @modelcontextprotocol/server 2.x, ' +
        'use @x/mcp-gateway',
    );
  }
  return handlers;
}

/** Names of the tools that an `McpServer` has registered, live. `undefined` if they cannot be read. */
export function registeredNames(server: V1McpServer): Readonly<Record<string, unknown>> | undefined {
  const tools = (server as { _registeredTools?: unknown })._registeredTools;
  return typeof tools === 'object' && tools !== null ? (tools as Readonly<Record<string, unknown>>) : undefined;
}
