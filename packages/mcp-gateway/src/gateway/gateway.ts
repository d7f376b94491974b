import { checkOption, optionTable } from '@x/internal/options';
import type { ViewOptions } from '@x/internal/views';
import { ClientView } from '../server/client-view.js';
import type { DrainOptions } from '../server/drain.js';
import { HttpHandler, type HttpHandlerOptions, handlerRows } from '../server/http-handler.js';
import type { ClientServers } from '../server/methods/client-server.js';
import type { RegistryHandler } from '../server/registry-handler.js';
import { type Caller, CallerCheck, type CallerOptions, callerRows } from '../server/requests/caller.js';
import {
  openLink,
  type RegistryServing,
  type StdioOptions,
  serveConnection,
  stdioRows,
} from '../server/stdio/stdio-connection.js';
import { type AudienceOf, audienceFor, refuseUnserved } from './audiences.js';
import { GatewayConnection } from './connection.js';
import { GatewayCore, type NamedCollision } from './gateway-core.js';
import { type GatewayOptions, resolveGateway } from './gateway-options.js';
import { GatewayServer } from './gateway-server.js';

/**
 * Options of access, hosts and origins, metadata and limits, as for `createRegistryHandler`. One of `token`,
 * `verifyToken` and `allowAnonymous` is required.
 */
export interface GatewayHandlerOptions<Who extends Caller = Caller> extends CallerOptions<Who>, HttpHandlerOptions {}

const handlerOptions = optionTable<GatewayHandlerOptions>()({ ...callerRows, ...handlerRows });

/** One MCP server in front of many. */
export interface Gateway extends AsyncDisposable {
  /**
   * Serves one connection over stdio or another transport, to one role or without restrictions.
   *
   * @throws {TypeError} naming the option that is unknown or out of bounds.
   */
  serve(options?: ServeGatewayOptions): RegistryServing;
  /**
   * Serves Streamable HTTP, with the checks and bounds of `createRegistryHandler`.
   *
   * @param audienceOf - Default: every admitted caller may use everything.
   * @throws {TypeError} naming the option that is unknown or out of bounds; if access is not configured; or naming a
   * known caller (of `token`, of `createTokenVerifier`, or anonymous) whose role has no rule.
   */
  handler<Who extends Caller = Caller>(
    options: GatewayHandlerOptions<Who>,
    audienceOf?: AudienceOf<Who>,
  ): RegistryHandler;
  /**
   * Requests the servers' lists and returns the names that are not served because several servers use them. Call it
   * before you rely on `as-is` names; `onProblem` receives later collisions.
   */
  collisions(): Promise<readonly NamedCollision[]>;
  /**
   * Refuses new requests on all connections and handlers, and waits for those in progress. Resolves to whether all have
   * finished. Call `close()` next.
   *
   * @throws {TypeError} naming the option that is unknown or out of bounds.
   */
  drain(options?: DrainOptions): Promise<boolean>;
  /** Ends all connections and handlers, but neither the registry nor the servers. Idempotent. */
  close(): Promise<void>;
}

/**
 * Creates a gateway, which offers all servers as one server, to clients of all protocol revisions. The registry's roles
 * apply to tools, resources and prompts. It does not serve yet.
 *
 * @throws {TypeError} naming the option that is unknown or out of bounds.
 */
export function createGateway(options: GatewayOptions): Gateway {
  if (typeof Object(options).attach === 'function') {
    throw new TypeError('createGateway() takes one object: createGateway({ registry, upstreams })');
  }
  return new LiveGateway(new GatewayCore(resolveGateway(options)));
}

class LiveGateway implements Gateway {
  readonly #core: GatewayCore;
  readonly #open = new Set<{ drain(options?: DrainOptions): Promise<boolean>; close(): Promise<void> }>();
  #closing: Promise<void> | undefined;

  constructor(core: GatewayCore) {
    this.#core = core;
  }

  serve(options: ServeGatewayOptions = {}): RegistryServing {
    this.#requireOpen();
    const serving = serveGateway(this.#core, options);
    const client = this.#core.clients.connect();
    this.#open.add(serving);
    serving.closed.then(() => {
      client[Symbol.dispose]();
      this.#open.delete(serving);
    });
    return serving;
  }

  handler<Who extends Caller = Caller>(
    options: GatewayHandlerOptions<Who>,
    audienceOf: AudienceOf<Who> = () => ({}),
  ): RegistryHandler {
    this.#requireOpen();
    // Callers come from the verifyToken of these options, so the function accepts them.
    const audienceOfCaller = audienceOf as AudienceOf;
    const viewOf = (caller: Caller) => {
      const audience = audienceFor(caller, audienceOfCaller);
      return audience && this.#core.audiences.of(audience).view;
    };
    checkOption('audienceOf', { kind: 'function' }, audienceOf);
    const resolved = handlerOptions.read(options as GatewayHandlerOptions);
    const callers = new CallerCheck(resolved);
    refuseUnserved(callers.known, audienceOfCaller, this.#core.policy.registry);
    const servers = gatewayServers(this.#core, {
      isAnonymous: callers.isOpen,
      hasOneCaller: callers.hasOneCaller,
    });
    const handler = new HttpHandler(
      viewOf,
      callers,
      { policy: this.#core.policy.serving, servers, check: this.#core.path },
      resolved,
    );
    const clients = this.#core.clients.admitMany();
    const { entrances } = handler;
    const open = { drain: entrances.drain, close: () => handler.close() };
    this.#open.add(open);
    const close = async () => {
      await handler.close();
      clients[Symbol.dispose]();
      this.#open.delete(open);
    };
    return { ...entrances, close, [Symbol.asyncDispose]: close };
  }

  collisions(): Promise<readonly NamedCollision[]> {
    return this.#core.collisions();
  }

  async drain(options?: DrainOptions): Promise<boolean> {
    const drained = await Promise.all(Array.from(this.#open, (each) => each.drain(options)));
    return drained.every((isWhole) => isWhole);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(): Promise<void> {
    await Promise.allSettled(Array.from(this.#open, (each) => each.close()));
    this.#core.close();
  }

  #requireOpen(): void {
    if (this.#closing !== undefined) throw new TypeError('The gateway is closed; create another one');
  }
}

function gatewayServers(
  core: GatewayCore,
  { isAnonymous, hasOneCaller }: { readonly isAnonymous: boolean; readonly hasOneCaller: boolean },
): ClientServers {
  // Owners contain the handler: another one may use the same id for another caller.
  const handler = crypto.randomUUID();
  const scopeOf = (id: string) => ({ owner: `${handler}:${id}`, isAnonymous, hasOneCaller });
  return {
    forRequest: (view, owner, hold) =>
      new GatewayServer(core, new ClientView(view), { ...scopeOf(owner), era: 'modern', hold }),
    continues: (message) => core.held.isContinuedBy(message),
    forSession: (view, owner) => {
      const connection = new GatewayConnection(core, view, scopeOf(owner));
      return { server: connection.open('legacy'), end: () => connection.end() };
    },
  };
}

/** Options of a stdio connection: its streams and limits, and its view as in `registry.view()`. Default: everything. */
export interface ServeGatewayOptions extends ViewOptions, StdioOptions {}

/** The registry checks the options of the view. */
const serveOptions = optionTable<ServeGatewayOptions>()({
  ...stdioRows,
  role: { kind: 'other' },
  principal: { kind: 'other' },
  servers: { kind: 'other' },
});

/** Serves one connection. The client's first message decides the protocol revision. */
function serveGateway(core: GatewayCore, options: ServeGatewayOptions): RegistryServing {
  // Keeps a view option that is present as `undefined`, which the registry refuses as a mistake.
  const { stdin, stdout, transport, maxQueuedBytes, maxStallMs, maxRequests, ...audience } = options;
  const link = openLink(serveOptions.read(options));
  const owner = `connection:${crypto.randomUUID()}`;
  const view = new ClientView(core.audiences.of(audience).view);
  const connection = new GatewayConnection(core, view, { owner });
  return serveConnection((era, hold) => connection.open(era, hold), link, {
    continues: (message) => core.held.isContinuedBy(message),
    onError: core.policy.serving.onError,
    onOver: () => {
      connection.end();
      core.tasks.forget(owner); // no other client ever has this connection
      view.end();
    },
  });
}
