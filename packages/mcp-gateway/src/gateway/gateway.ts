import { optionTable } from '@x/internal/options';
import type { ClientServers } from '../server/client-servers.js';
import { HeldView } from '../server/held-view.js';
import { HttpHandler, type HttpHandlerOptions, handlerRows } from '../server/http-handler.js';
import type { RegistryHandler } from '../server/registry-handler.js';
import { type Caller, CallerCheck, type CallerOptions, callerRows } from '../server/requests/caller.js';
import type { RegistryServing } from '../server/stdio/stdio-connection.js';
import { type AudienceOf, audienceFor, refuseUnserved } from './audience-of.js';
import { GatewayConnection } from './connection.js';
import { GatewayCore, type NamedCollision } from './gateway-core.js';
import { type GatewayOptions, resolveGateway } from './gateway-options.js';
import { GatewayServer } from './gateway-server.js';
import { type ServeGatewayOptions, serveGateway } from './serve-gateway.js';

/**
 * Who may ask (`token`, `verifyToken` or `allowAnonymous`), from which hosts and pages, what is said to those who have no
 * token, and how much may be open at a time. One of the first three is needed; the rest is as for `createRegistryHandler`.
 */
export interface GatewayHandlerOptions<Who extends Caller = Caller> extends CallerOptions<Who>, HttpHandlerOptions {}

const handlerOptions = optionTable<GatewayHandlerOptions>()({ ...callerRows, ...handlerRows });

/** One MCP server in front of many. */
export interface Gateway extends AsyncDisposable {
  /**
   * Serves one connection over stdio, or any other transport, to a role or to everybody.
   *
   * @throws {TypeError} naming the option that is misspelt or out of its bounds.
   */
  serve(options?: ServeGatewayOptions): RegistryServing;
  /**
   * Serves over Streamable HTTP, with the checks and bounds of `createRegistryHandler`.
   *
   * @param audienceOf - Default: everybody who may ask is served everything.
   * @throws {TypeError} naming the option that is misspelt or out of its bounds, or a caller that is known beforehand (whoever has
   *   `token`, each owner of `createTokenVerifier`, or anybody) and would be served nothing, because no rule of the
   *   registry names the role; or if it is not said who may send requests.
   */
  handler<Who extends Caller = Caller>(
    options: GatewayHandlerOptions<Who>,
    audienceOf?: AudienceOf<Who>,
  ): RegistryHandler;
  /**
   * Asks the servers for their lists and tells which names are not served because several servers use them. To be asked
   * before `as-is` names are relied on; later collisions are told to `onProblem`.
   */
  collisions(): Promise<readonly NamedCollision[]>;
  /** Ends all connections and handlers. Leaves the registry and the servers alone. May be called twice. */
  close(): Promise<void>;
}

/**
 * Makes a gateway: what all servers offer, as one server that offers it, to clients of the 2026-07-28 revision and of
 * those before it. Roles of the registry hold for tools, resources and prompts alike. Nothing is served yet.
 *
 * @throws {TypeError} naming the option that is misspelt or out of its bounds.
 */
export function createGateway(options: GatewayOptions): Gateway {
  return new LiveGateway(new GatewayCore(resolveGateway(options)));
}

class LiveGateway implements Gateway {
  readonly #core: GatewayCore;
  readonly #open = new Set<{ close(): Promise<void> }>();
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
    // Callers come from the options' own verifyToken, so they are what the function takes.
    const audienceOfCaller = audienceOf as AudienceOf;
    const viewOf = (caller: Caller) => {
      const audience = audienceFor(caller, audienceOfCaller);
      return audience && this.#core.audiences.of(audience).view;
    };
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
    this.#open.add(handler);
    const close = async () => {
      await handler.close();
      clients[Symbol.dispose]();
      this.#open.delete(handler);
    };
    return { ...handler.faces, close, [Symbol.asyncDispose]: close };
  }

  collisions(): Promise<readonly NamedCollision[]> {
    return this.#core.collisions();
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
  // The ids of callers are those of one handler: another one may give the same to somebody else.
  const handler = crypto.randomUUID();
  const scopeOf = (id: string) => ({ owner: `${handler}:${id}`, isAnonymous, hasOneCaller });
  return {
    forRequest: (view, owner) => new GatewayServer(core, new HeldView(view), { ...scopeOf(owner), era: 'modern' }),
    forSession: (view, owner) => {
      const connection = new GatewayConnection(core, view, scopeOf(owner));
      return { server: connection.open('legacy'), end: () => connection.end() };
    },
  };
}
