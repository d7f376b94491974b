import {
  CallToolRequestSchema,
  CallToolResultSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  ToolSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { optionTable, refusePromise } from '@x/internal/options';
import { peekTool, requireView, type ToolView } from '@x/internal/views';
import { GatewayError, isRefused } from '../errors.js';
import type { RegistryView } from '../registry.js';
import { type ServerRequestOptions, serverRequestRows } from '../serving/asked-client.js';
import { callForClient, callOptionsOf, INVALID_RESULT } from '../serving/client-calls.js';
import { guarded } from '../serving/serving-policy.js';
import { checkSurface, createSurface, type SurfaceOptions, surfaceRows } from '../serving/surface.js';
import { createToolLister, type PageOptions, pageRows, watchListing } from '../serving/tool-listing.js';
import { markMounted, mergedPage, OwnTools } from './own-tools.js';
import { clientHandler } from './v1-client.js';
import {
  CALL,
  chain,
  connectedTooEarly,
  handlersOf,
  LIST,
  prepareServer,
  type V1Extra,
  type V1Handler,
  type V1McpServer,
  type V1Request,
  type V1Server,
} from './v1-server.js';

/** Options of a mount. */
export interface MountRegistryOptions extends SurfaceOptions, PageOptions, ServerRequestOptions {
  /**
   * Receives failed notifications, and mounted tools whose name the server has used for a tool of its own since the
   * mount. Default: none.
   */
  readonly onError?: ((error: Error) => void) | undefined;
}

const mountOptions = optionTable<MountRegistryOptions>()({
  ...surfaceRows,
  ...pageRows,
  ...serverRequestRows,
  onError: { kind: 'function' },
});

/**
 * Serves a view on a `Server` or `McpServer` of `@modelcontextprotocol/sdk` 1.x, until the returned object is disposed.
 * Mount before `connect()`, since a connected server cannot declare tools. The server's own tools keep their names and
 * are listed first; it may add more at any time.
 *
 * @throws {GatewayError} `duplicate-tool` if an `McpServer` has a tool with the name of one of the view.
 * @throws {TypeError} naming the option that is unknown or out of bounds; if `server` is not of 1.x; if it is connected
 * and has not declared tools.
 */
export function mountRegistry(
  server: V1Server | V1McpServer,
  view: RegistryView,
  options?: MountRegistryOptions,
): Disposable {
  const { pageSize, serverRequests, onError, ...listing } = mountOptions.read(options);
  checkSurface(listing);
  refusePromise('The server', server);
  const mcp = 'server' in Object(server) ? (server as V1McpServer) : undefined;
  const low = mcp?.server ?? (server as V1Server);
  handlersOf(low); // throws for another object
  requireView(view);
  const surface = createSurface(view, listing);
  if (mcp !== undefined) refuseCollisions(mcp, surface);
  prepareServer(low, mcp);
  const asksClient = serverRequests === 'client';
  return new Mount(low, new OwnTools(low, mcp), surface, {
    pageSize,
    asksClient,
    onError: guarded('onError', onError),
  });
}

function refuseCollisions(mcp: V1McpServer, view: RegistryView): void {
  const own = new OwnTools(mcp.server, mcp);
  const both = own.knownNames.find((name) => peekTool(view, name) !== undefined);
  if (both === undefined) return;
  throw new GatewayError(
    'duplicate-tool',
    `The server already has a tool named ${both}; rename or remove one of the two, or mount a view without it`,
    { tool: both },
  );
}

interface MountParts {
  readonly pageSize: number;
  readonly asksClient: boolean;
  readonly onError: MountRegistryOptions['onError'];
}

class Mount implements Disposable {
  readonly #server: V1Server;
  readonly #own: OwnTools;
  readonly #view: RegistryView;
  readonly #pageSize: number;
  readonly #asksClient: boolean;
  readonly #onError: ((error: Error) => void) | undefined;
  readonly #handlers: ReturnType<typeof handlersOf>;
  readonly #undo: (() => void)[] = [];
  readonly #reported = new Set<string>();
  #watching: Disposable | undefined;
  #isOver = false;

  constructor(server: V1Server, own: OwnTools, view: RegistryView, { pageSize, asksClient, onError }: MountParts) {
    this.#server = server;
    this.#own = own;
    this.#view = view;
    this.#pageSize = pageSize;
    this.#asksClient = asksClient;
    this.#onError = onError;
    this.#handlers = handlersOf(server);
    this.#setHandlers();
    this.#follow();
  }

  /** Restores the server's previous handlers. */
  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#unwatch();
    for (const step of this.#undo.reverse()) step();
    this.#announce();
  }

  #setHandlers(): void {
    const server = this.#server;
    try {
      setHandler(server, ListToolsRequestSchema, (request, extra) => this.#list(request, extra));
    } catch (cause) {
      throw connectedTooEarly(cause);
    }
    setHandler(server, CallToolRequestSchema, (request, extra) => this.#call(request, extra));
    markMounted(this.#handlers.get(LIST));
    const { list, call } = this.#own.handlers;
    this.#undo.push(this.#restore(LIST, list), this.#restore(CALL, call));
  }

  /** Skipped if another handler was set over this one, which then forwards requests. */
  #restore(method: string, previous: V1Handler | undefined): () => void {
    const mounted = this.#handlers.get(method);
    return () => {
      if (this.#handlers.get(method) !== mounted) return;
      if (previous === undefined) this.#server.removeRequestHandler(method);
      else this.#handlers.set(method, previous);
    };
  }

  async #list(request: V1Request, extra: V1Extra): Promise<unknown> {
    if (this.#isOver) return this.#own.handlers.list?.(request, extra) ?? refuseMethod(request);
    this.#watch(); // the app may have replaced the listener
    const cursor = request.params?.cursor;
    const shown = { cursor: typeof cursor === 'string' ? cursor : undefined, pageSize: this.#pageSize, extra };
    try {
      const page = await mergedPage(this.#own, () => this.#mounted(extra), shown);
      const { own, mounted, ...rest } = page;
      return { tools: [...own, ...mounted.map(toV1Tool)], ...rest };
    } catch (error) {
      if (isRefused(error)) throw new McpError(ErrorCode.InvalidParams, error.message);
      throw error;
    }
  }

  async #mounted(extra: V1Extra): Promise<readonly ToolView[]> {
    const tools = this.#view.list();
    const own = await this.#own.names(extra);
    if (own.size === 0) return tools;
    return tools.filter(({ name }) => !own.has(name) || this.#report(name));
  }

  #report(name: string): false {
    if (!this.#reported.has(name)) {
      this.#reported.add(name);
      const message = `The server has added a tool named ${name}; the mounted one is no longer served`;
      this.#onError?.(new GatewayError('duplicate-tool', message, { tool: name }));
    }
    return false;
  }

  async #call(request: V1Request, extra: V1Extra): Promise<unknown> {
    const own = this.#own;
    if (this.#isOver) return own.handlers.call?.(request, extra) ?? refuseMethod(request);
    const name = String(request.params?.name);
    const isMounted = peekTool(this.#view, name) !== undefined;
    if ((await own.names(extra)).has(name) || (!isMounted && own.mayKnowMore)) return own.call(request, extra);
    if (request.params?.task !== undefined) {
      throw new McpError(ErrorCode.MethodNotFound, `The tool ${name} does not support tasks`);
    }
    const handler = this.#asksClient ? clientHandler(this.#server, extra) : undefined;
    const options = callOptionsOf({ ...extra, notify: (notification) => extra.sendNotification(notification) });
    const args = request.params?.arguments as ToolArguments;
    const answer = await callForClient(this.#view, name, args, { ...options, ...(handler && { handler }) });
    if (answer.kind === 'unknown-tool') throw new McpError(ErrorCode.InvalidParams, answer.error.message);
    return toV1Result(answer.result);
  }

  /** A client may be notified only between its initialization and its disconnection. */
  #follow(): void {
    const server = this.#server;
    this.#undo.push(
      chain(server, 'oninitialized', () => this.#watch()),
      chain(server, 'onclose', () => this.#unwatch()),
    );
    if (!this.#hasClient) return;
    this.#watch();
    this.#announce();
  }

  get #hasClient(): boolean {
    return this.#server.transport !== undefined && this.#server.getClientVersion() !== undefined;
  }

  #watch(): void {
    this.#watching ??= watchListing(this.#view, () => this.#announce());
  }

  #unwatch(): void {
    this.#watching?.[Symbol.dispose]();
    this.#watching = undefined;
  }

  #announce(): void {
    if (this.#hasClient) this.#server.sendToolListChanged().catch((error) => this.#onError?.(error));
    else this.#unwatch();
  }
}

/** The schema decides the types of the request, which only the SDK knows. */
function setHandler(server: V1Server, schema: object, handler: V1Handler): void {
  server.setRequestHandler(schema, handler as (request: unknown, extra: unknown) => never);
}

function refuseMethod({ method }: V1Request): never {
  throw new McpError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
}

const toListedTool = createToolLister(
  (tool) => isRecord(tool) && ToolSchema.safeParse(hasObjectOutput(tool) ? tool : withoutOutput(tool)).success,
);

function toV1Tool(view: ToolView): unknown {
  const tool = toListedTool(view);
  return hasObjectOutput(tool) ? tool : withoutOutput(tool);
}

/** Revisions of 1.x allow only objects. */
function hasObjectOutput({ outputSchema }: { readonly outputSchema?: unknown }): boolean {
  return isRecord(outputSchema) && outputSchema.type === 'object';
}

function withoutOutput({ outputSchema: _, ...tool }: { readonly outputSchema?: unknown }): unknown {
  return tool;
}

function toV1Result({ structuredContent, ...result }: ToolCallResult): unknown {
  const content = result.content ?? [];
  const whole = isRecord(structuredContent) ? { ...result, content, structuredContent } : { ...result, content };
  if (!CallToolResultSchema.safeParse(whole).success) return INVALID_RESULT;
  if (structuredContent === undefined || isRecord(structuredContent) || content.some(({ type }) => type === 'text')) {
    return whole;
  }
  return { ...whole, content: [...content, { type: 'text', text: JSON.stringify(structuredContent) }] };
}
