import type { RawResult } from '../session/json-rpc.js';
import type { ServerTool, ToolCallResult } from '../session/session.js';
import { type CallOptions, type RequestOptions, resolvePolicy } from './call-options.js';
import { sharerOf } from './caller.js';
import { Gate, type GatedServer } from './gate.js';
import type { Asked, RequestContext, RequestedServer } from './request-context.js';
import { RoutedRequest } from './routed-request.js';

export interface RequestRouterOptions {
  readonly supervisor: RoutedServer;
  /** For requests that name no time of their own. */
  readonly callTimeoutMs: number;
}

/** What the router needs of whoever keeps the server. */
export interface RoutedServer extends RequestedServer, GatedServer {
  readonly server: GatedServer['server'] & { readonly trusted: boolean };
  /** The tools that are known right now. */
  readonly tools: readonly ServerTool[];
}

/** Routes calls of one server's tools, and all other requests to it, to whatever process serves it now. */
export class RequestRouter {
  readonly #gate: Gate;
  readonly #callTimeoutMs: number;
  readonly #context: RequestContext;
  readonly #supervisor: RoutedServer;

  constructor({ supervisor, callTimeoutMs }: RequestRouterOptions) {
    this.#gate = new Gate(supervisor);
    this.#callTimeoutMs = callTimeoutMs;
    this.#supervisor = supervisor;
    this.#context = { server: supervisor.server.name, supervisor, gate: this.#gate };
  }

  /** Calls one tool. For the errors see `ManagedServer.callTool`, which looks first whether the spec allows the tool. */
  call(tool: string, args: Readonly<Record<string, unknown>>, options: CallOptions = {}): Promise<ToolCallResult> {
    const { params } = options;
    const asked = {
      method: 'tools/call',
      params: { ...params, name: tool, arguments: args },
      tool,
      // Read now: a server that went down because of a failure offers no tools. What `params` say may be half of
      // something: answers to what the server has asked, or a task.
      isSafeTwice: params === undefined && this.#supervisor.server.trusted && this.#isSafeTwice(tool),
    };
    return this.#route(asked, options) as Promise<RawResult & ToolCallResult>;
  }

  /**
   * Asks anything but a call of a tool. What was sent is never sent again.
   * @throws {TypeError} Names the option that is out of bounds.
   * @throws {ManagerError} For the codes see `ManagedRequests`. Rejects with the signal's reason when that aborts.
   */
  request(asked: Asked, options: RequestOptions & Pick<CallOptions, 'inputRequired'>): Promise<RawResult> {
    const { signal, timeoutMs, queueTimeoutMs, onProgress, meta, inputRequired, host, caller } = options;
    return this.#route(asked, { signal, timeoutMs, queueTimeoutMs, onProgress, meta, inputRequired, host, caller });
  }

  /** To be called when more requests than before may have their turn. */
  giveTurns(): void {
    this.#gate.giveTurns();
  }

  /** Fails every request that the server does not have yet. To be called before it is stopped for good. */
  refuseUnsent(): void {
    this.#gate.refuseUnsent();
  }

  #route(asked: Asked, options: CallOptions): Promise<RawResult> {
    return new Promise((resolve, reject) => {
      const policy = resolvePolicy(options, { callTimeoutMs: this.#callTimeoutMs });
      policy.signal?.throwIfAborted();
      const refusal = this.#gate.mayRefuse ? this.#gate.refusal(asked, sharerOf(policy)) : undefined;
      if (refusal) reject(refusal);
      else this.#gate.enter(new RoutedRequest(this.#context, asked, policy, { resolve, reject }));
    });
  }

  /** Whether the tool says of itself that it only reads, or may run twice with the effect of once. */
  #isSafeTwice(tool: string): boolean {
    const annotations = this.#supervisor.tools.find(({ name }) => name === tool)?.annotations;
    return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
  }
}
