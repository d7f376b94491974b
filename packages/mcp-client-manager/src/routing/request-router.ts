import type { Telemetry } from '@x/internal/contracts';
import type { RawResult } from '../session/peer/json-rpc.js';
import type { ServerTool, ToolCallResult } from '../session/session.js';
import {
  type CallOptions,
  queueKeyOf,
  type RequestOptions,
  requireRequestOptions,
  resolvePolicy,
} from './call-options.js';
import { Gate, type GatedServer } from './gate.js';
import type { RequestContext, RequestedServer, RequestSpec } from './request-context.js';
import { beginOperation, RoutedRequest } from './routed-request.js';

interface RequestRouterOptions {
  readonly supervisor: RoutedServer;
  readonly callTimeoutMs: number;
  readonly telemetry?: Telemetry | undefined;
}

export interface RoutedServer extends RequestedServer, GatedServer {
  readonly server: GatedServer['server'] & { readonly trusted: boolean };
  readonly tools: readonly ServerTool[];
}

export class RequestRouter {
  readonly #gate: Gate;
  readonly #callTimeoutMs: number;
  readonly #context: RequestContext;
  readonly #supervisor: RoutedServer;

  constructor({ supervisor, callTimeoutMs, telemetry }: RequestRouterOptions) {
    this.#gate = new Gate(supervisor);
    this.#callTimeoutMs = callTimeoutMs;
    this.#supervisor = supervisor;
    this.#context = { server: supervisor.server.name, supervisor, gate: this.#gate, telemetry };
  }

  /** The caller checks that the spec allows the tool. */
  call(tool: string, args: Readonly<Record<string, unknown>>, options: CallOptions = {}): Promise<ToolCallResult> {
    const { params } = options;
    const spec = {
      method: 'tools/call',
      params: { ...params, name: tool, arguments: args },
      tool,
      // Read before the call: a server that is down offers no tools. With `params`, a call continues an exchange or a
      // task.
      isRepeatable: params === undefined && this.#supervisor.server.trusted && this.#isRepeatable(tool),
    };
    return this.#route(spec, options) as Promise<RawResult & ToolCallResult>;
  }

  /** Sends any request other than a tool call, at most once. */
  request(spec: RequestSpec, options: RequestOptions & Pick<CallOptions, 'inputRequired'>): Promise<RawResult> {
    requireRequestOptions(options);
    return this.#route(spec, options);
  }

  grantTurns(): void {
    this.#gate.grantTurns();
  }

  refuseUnsent(): void {
    this.#gate.refuseUnsent();
  }

  #route(spec: RequestSpec, options: CallOptions): Promise<RawResult> {
    return new Promise((resolve, reject) => {
      const policy = resolvePolicy(options, { callTimeoutMs: this.#callTimeoutMs });
      policy.signal?.throwIfAborted();
      const refusal = this.#gate.mayRefuse ? this.#gate.refusal(spec, queueKeyOf(policy)) : undefined;
      if (refusal) {
        beginOperation(this.#context, spec, policy)?.end({ error: refusal });
        reject(refusal);
      } else this.#gate.admit(new RoutedRequest(this.#context, spec, policy, { resolve, reject }));
    });
  }

  #isRepeatable(tool: string): boolean {
    const annotations = this.#supervisor.tools.find(({ name }) => name === tool)?.annotations;
    return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
  }
}
