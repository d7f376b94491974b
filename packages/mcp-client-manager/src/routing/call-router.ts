import type { ServerTool, ToolCallResult } from '../session/session.js';
import { Call, type CallContext, type CalledServer } from './call.js';
import { type CallOptions, resolveCall } from './call-options.js';
import { sharerOf } from './caller.js';
import { Gate, type GatedServer } from './gate.js';

export interface CallRouterOptions {
  readonly supervisor: RoutedServer;
  /** For calls that name no time of their own. */
  readonly callTimeoutMs: number;
}

/** What the router needs of whoever keeps the server. */
export interface RoutedServer extends CalledServer, GatedServer {
  readonly server: GatedServer['server'] & { readonly trusted: boolean };
  /** The tools that are known right now. */
  readonly tools: readonly ServerTool[];
}

/** Routes calls of one server's tools to whatever process serves it now. */
export class CallRouter {
  /** Where every call has its turn, and every other request with them. */
  readonly gate: Gate;
  readonly #callTimeoutMs: number;
  readonly #context: CallContext;

  constructor({ supervisor, callTimeoutMs }: CallRouterOptions) {
    const gate = new Gate(supervisor);
    this.gate = gate;
    this.#callTimeoutMs = callTimeoutMs;
    this.#context = {
      server: supervisor.server.name,
      supervisor,
      gate,
      mayRepeat: (tool) => supervisor.server.trusted && isSafeTwice(supervisor, tool),
    };
  }

  /** Calls one tool. For the errors see `ManagedServer.callTool`, which looks first whether the spec allows the tool. */
  call(tool: string, args: Readonly<Record<string, unknown>>, options: CallOptions = {}): Promise<ToolCallResult> {
    return new Promise((resolve, reject) => {
      const policy = resolveCall(options, { callTimeoutMs: this.#callTimeoutMs });
      policy.signal?.throwIfAborted();
      const refusal = this.gate.mayRefuse ? this.gate.refusal(`The call of "${tool}"`, sharerOf(policy)) : undefined;
      if (refusal) reject(refusal);
      else this.gate.enter(new Call(this.#context, { tool, args, policy }, { resolve, reject }));
    });
  }

  /** Fails every call and request that the server does not have yet. To be called before it is stopped for good. */
  refuseUnsent(): void {
    this.gate.refuseUnsent();
  }
}

/** Whether the tool says of itself that it only reads, or may run twice with the effect of once. */
function isSafeTwice({ tools }: RoutedServer, tool: string): boolean {
  const annotations = tools.find(({ name }) => name === tool)?.annotations;
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}
