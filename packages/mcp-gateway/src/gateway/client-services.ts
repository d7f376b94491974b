import { LOG_LEVEL_META_KEY, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { showsApps } from '@x/internal/app-tools';
import type { CallHandler } from '@x/internal/contracts';
import { messageOf } from '@x/internal/errors';
import { requiredPages } from '@x/internal/required-pages';
import { interceptNotification, interceptorsOf, type ViewInterceptors } from '@x/internal/views';
import { isRefused } from '../errors.js';
import type { RolePolicy } from '../registry.js';
import type { ClientView } from '../server/client-view.js';
import type { ClientRequest } from '../server/methods/client-request.js';
import { supportsUrls } from '../serving/asked-client.js';
import { type Audience, maySeeLog } from './audiences.js';
import { ClientBridge } from './bridging/client-bridge.js';
import type { ConnectionState, GatewayScope } from './gateway-clients.js';
import type { GatewayCore } from './gateway-core.js';
import { isAbout, isLogLevel, isWanted } from './log-levels.js';
import { ClientTasks } from './tasks/client-tasks.js';
import {
  type FailureFacts,
  failureFacts,
  type GatewayUpstream,
  hasResponded,
  rpcErrorOf,
  serverOf,
} from './upstream.js';

/** The services of one connection, or of one request. */
export interface ClientServices {
  readonly core: GatewayCore;
  readonly audience: () => Audience;
  readonly answering: Answering;
  readonly bridge: ClientBridge;
  readonly tasks: ClientTasks;
  /** True if the client shows apps of servers. */
  readonly showsApps: (context: ClientRequest) => boolean;
}

interface ClientServicesOptions {
  readonly core: GatewayCore;
  readonly held: ClientView;
  readonly scope: GatewayScope;
  /** Absent for a server of one request. */
  readonly wishes?: ConnectionState | undefined;
  /** Identity of a client without a lasting connection. */
  readonly connection: object;
  /** Capabilities from the handshake, before revision 2026-07-28. */
  readonly capabilities: () => Readonly<Record<string, unknown>> | undefined;
  readonly clientInfo: () => CallHandler['clientInfo'];
}

export function servicesOf({
  core,
  held,
  scope,
  wishes,
  connection,
  capabilities,
  clientInfo,
}: ClientServicesOptions): ClientServices {
  const audience = () => core.audiences.ofView(held.current);
  const onPage = (server: string, elicitationId: string) => wishes?.expectPage(server, elicitationId);
  const answering = new Answering({
    core,
    audience,
    handlerOf: (context, upstream) => bridge.handlerOf(context, upstream),
    onPage: (server, elicitationId) => {
      if (supportsUrls(capabilities() ?? {})) onPage(server, elicitationId);
    },
  });
  const bridge = new ClientBridge({
    held: core.held,
    timeoutMs: core.policy.input.timeoutMs,
    fallback: core.policy.elicitationFallback,
    connection: wishes ?? connection,
    lasts: wishes !== undefined,
    owner: scope.owner,
    isAnonymous: scope.isAnonymous ?? false,
    hasOneCaller: scope.hasOneCaller ?? false,
    hold: scope.hold,
    isOnlyClient: () => core.clients.isOne,
    capabilities,
    clientInfo,
    audience,
    onPage,
  });
  return {
    core,
    audience,
    answering,
    bridge,
    tasks: new ClientTasks(core, scope.owner, audience),
    showsApps: (context) => showsApps(bridge.capabilitiesOf(context)),
  };
}

interface AnsweringOptions {
  readonly core: GatewayCore;
  readonly audience: () => Audience;
  readonly handlerOf: HandlerOf;
  /** Called when an error sends the client to a page. */
  readonly onPage: (server: string, elicitationId: string) => void;
}

export interface ClientFailure {
  readonly message: string;
  readonly facts: FailureFacts;
}

/** Runs a request within its limits, forwards its server's log, and converts errors for the client. */
class Answering {
  readonly #options: AnsweringOptions;

  constructor(options: AnsweringOptions) {
    this.#options = options;
  }

  /** @param onLimited - Called if the request exceeds a limit; then `work` does not start. */
  async run<Result>(
    context: ClientRequest,
    upstream: GatewayUpstream | undefined,
    work: () => Promise<Result> | Result,
    onLimited?: () => void,
  ): Promise<Result> {
    const { core } = this.#options;
    const { policy, role, principal, tools } = this.#options.audience();
    const interceptors = interceptorsOf(tools);
    const log =
      upstream && forwardLog(core, { upstream, policy, interceptors, handlerOf: this.#options.handlerOf }, context);
    try {
      if (upstream !== undefined) core.rates.consume({ role, principal, server: upstream.name }, onLimited);
      return await work();
    } catch (error) {
      throw context.signal.aborted ? error : this.#toClientError(error, context, upstream);
    } finally {
      log?.[Symbol.dispose]();
    }
  }

  /** Returns the public part of a failure: messages may contain commands, paths and secrets. */
  reportFailure(error: unknown, { method }: ClientRequest, upstream: GatewayUpstream | undefined): ClientFailure {
    const server = upstream?.name ?? serverOf(error);
    const facts = failureFacts(error);
    const { reason } = facts;
    const what = hasResponded(reason) ? 'failed' : 'did not respond to';
    const message = `${server === undefined ? 'A server' : `Server "${server}"`} ${what} "${method}": ${messageOf(error)}`;
    this.#options.core.policy.onProblem({ code: 'request-failed', server, reason, message, cause: error });
    return { message: `The server ${hasResponded(reason) ? 'failed' : 'did not respond'}: ${reason}`, facts };
  }

  #toClientError(error: unknown, context: ClientRequest, upstream: GatewayUpstream | undefined): Error {
    const rpc = rpcErrorOf(error);
    if (isRefused(error) && error.code === 'refused') {
      return new ProtocolError(ProtocolErrorCode.InvalidRequest, error.message);
    }
    if (rpc === undefined) {
      const { MethodNotFound, InternalError } = ProtocolErrorCode;
      const { message, facts } = this.reportFailure(error, context, upstream);
      return new ProtocolError(facts.reason === 'unsupported' ? MethodNotFound : InternalError, message, facts);
    }
    if (context.era === 'legacy' && upstream !== undefined) {
      for (const { elicitationId } of requiredPages(rpc)) {
        if (typeof elicitationId === 'string') this.#options.onPage(upstream.name, elicitationId);
      }
    }
    return new ProtocolError(rpc.code, rpc.message, rpc.data);
  }
}

type HandlerOf = (context: ClientRequest, upstream: GatewayUpstream) => CallHandler;

interface LogParts {
  readonly upstream: GatewayUpstream;
  readonly policy: RolePolicy;
  readonly interceptors: ViewInterceptors | undefined;
  readonly handlerOf: HandlerOf;
}

/** Forwards log entries during a request, which sets its own level since revision 2026-07-28. */
function forwardLog(
  core: GatewayCore,
  { upstream, policy, interceptors, handlerOf }: LogParts,
  context: ClientRequest,
): Disposable | undefined {
  const level = context.era === 'modern' ? context.envelope[LOG_LEVEL_META_KEY] : undefined;
  if (!isLogLevel(level) || !maySeeLog(policy, upstream.name)) return undefined;
  const who = {};
  const handler = handlerOf(context, upstream);
  const listening = core.upstreams.events.on('server-log', (entry) => {
    const { server, level: told, about } = entry;
    if (server !== upstream.name || !isWanted(told, level) || !isAbout(about, handler.owner)) return;
    const method = 'notifications/message';
    const params = interceptNotification(interceptors?.parts, { method, server, params: core.logMessages.of(entry) });
    if (params === undefined) return;
    context.notify({ method, params }).catch(() => undefined); // fails only if the client is gone
  });
  void core.levels.want(upstream, { who, level, handler });
  return {
    [Symbol.dispose]: () => {
      listening[Symbol.dispose]();
      core.levels.forget(who);
    },
  };
}
