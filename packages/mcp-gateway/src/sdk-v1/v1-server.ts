/**
 * What is needed of a `Server` of `@modelcontextprotocol/sdk` 1.x. Written out rather than imported, so that the server may
 * be of any installed copy of it.
 */
export interface V1Server {
  readonly transport?: unknown;
  /** Called when the connection has ended. */
  onclose?: (() => void) | undefined;
  /** Called when the client has finished its handshake. */
  oninitialized?: (() => void) | undefined;
  /** Declares that there are tools. Only before it is connected. */
  registerCapabilities(capabilities: { tools: { listChanged: boolean } }): void;
  /** Answers requests of one method, in place of who did. */
  // biome-ignore lint/suspicious/noExplicitAny: generic over schemas there, and called here with those of this module alone.
  setRequestHandler(schema: any, handler: (request: any, extra: any) => any): void;
  /** Takes a handler out. */
  removeRequestHandler(method: string): void;
  /** Tells the client that there are other tools now. */
  sendToolListChanged(): Promise<void>;
  /** `undefined` until the client has said `initialize`. */
  getClientVersion(): unknown;
}

/** What is needed of an `McpServer`. */
export interface V1McpServer {
  readonly server: V1Server;
  /** Offers a tool until it is removed. */
  // biome-ignore lint/suspicious/noExplicitAny: generic over the schemas of a tool there.
  registerTool(name: string, config: any, callback: any): { remove(): void };
}

/** What a handler is given beside the request. */
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

/** Handlers as the protocol class of 1.x keeps them: private to its types, and the same in all of its releases. */
export function handlersOf(server: V1Server): Map<string, V1Handler> {
  const handlers = (server as { _requestHandlers?: unknown })._requestHandlers;
  // Those of 2.x keep theirs in the same place, and take them in another way.
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
