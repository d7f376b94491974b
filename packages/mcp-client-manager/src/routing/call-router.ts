import type { ManagerError } from '../errors.js';
import type { ServerTool, Session, ToolCallResult } from '../session/session.js';
import { Call, type CalledServer, type CallHost, type CallOutcome, type CallRequest } from './call.js';
import { circuitOpen, queueFull } from './call-failures.js';
import { type CallOptions, resolveCall } from './call-options.js';
import { type BreakerInput, closedBreaker, nextBreaker, refusedForMs } from './circuit-breaker.js';
import { Turns } from './turns.js';

export interface CallRouterOptions {
  readonly supervisor: RoutedServer;
  /** For calls that name no time of their own. */
  readonly callTimeoutMs: number;
}

/** What the router needs of whoever keeps the server. */
export interface RoutedServer extends CalledServer {
  /** The spec that the server is kept to now. */
  readonly server: {
    readonly name: string;
    readonly maxConcurrentCalls: number;
    readonly maxQueuedCalls: number;
    readonly trusted: boolean;
  };
  /** The tools that are known right now. */
  readonly tools: readonly ServerTool[];
  /** A call has come in; `callEnded` follows once. The server is in use meanwhile. */
  callBegan(): void;
  callEnded(): void;
}

/** Lets the calls to one server in, so many at a time, and none for a while when its connection keeps failing. */
export class CallRouter {
  readonly #supervisor: RoutedServer;
  readonly #callTimeoutMs: number;
  readonly #host: CallHost;
  readonly #turns: Turns<Call>;
  #breaker = closedBreaker;
  /** The call that finds out whether the connection works again. */
  #probe: Call | undefined;
  /** The connection that failed last. All calls in it fail with it, which counts once. */
  #failed: WeakRef<Session> | undefined;

  constructor({ supervisor, callTimeoutMs }: CallRouterOptions) {
    this.#supervisor = supervisor;
    this.#callTimeoutMs = callTimeoutMs;
    this.#turns = new Turns(() => {
      const { maxConcurrentCalls, maxQueuedCalls } = supervisor.server;
      return { maxConcurrent: maxConcurrentCalls, maxQueued: maxQueuedCalls };
    });
    this.#host = {
      server: supervisor.server.name,
      supervisor,
      mayRepeat: (tool) => supervisor.server.trusted && isSafeTwice(supervisor, tool),
      onAnswered: () => this.#note({ type: 'answered' }),
      onLost: (session) => this.#lost(session),
      onSettled: (call) => this.#settled(call),
    };
  }

  /**
   * Calls one tool.
   *
   * @throws {TypeError} An option is out of bounds, or the arguments cannot be written as JSON.
   * @throws {ManagerError} `busy`, `timed-out`, `not-started`, `start-failed`, `auth-required`, `server-disabled`,
   * `connection-lost`, `outcome-unknown`, `server-stopping`, `server-error`, `invalid-result`, `result-too-large` or
   * `closed`. Rejects with the signal's reason when that aborts.
   */
  call(tool: string, args: Readonly<Record<string, unknown>>, options: CallOptions = {}): Promise<ToolCallResult> {
    return new Promise((resolve, reject) => {
      const policy = resolveCall(options, { callTimeoutMs: this.#callTimeoutMs });
      policy.signal?.throwIfAborted();
      this.#admit({ tool, args, policy }, { resolve, reject });
    });
  }

  /** Fails every call that the server does not have yet. To be called before it is stopped for good. */
  refuseUnsent(): void {
    for (const call of this.#turns.items().toReversed()) call.refuse(); // the last first: none gets a turn by that
  }

  #admit(request: CallRequest, outcome: CallOutcome): void {
    const refusal = this.#refusalOf(request.tool);
    if (refusal) {
      outcome.reject(refusal);
      return;
    }
    const call = new Call(this.#host, request, outcome);
    this.#supervisor.callBegan();
    this.#note({ type: 'admitted' });
    if (this.#breaker.phase === 'probing') this.#probe ??= call;
    if (this.#turns.enter(call)) call.start();
  }

  /** Why a call of the tool is not let in; nothing was sent then. */
  #refusalOf(tool: string): ManagerError | undefined {
    const name = { server: this.#host.server, tool };
    const retryAfterMs = this.#refusedForMs();
    if (retryAfterMs > 0) return circuitOpen(name, retryAfterMs);
    const { active, waiting, isFull } = this.#turns;
    return isFull ? queueFull(name, { inFlight: active, queued: waiting }) : undefined;
  }

  #refusedForMs(): number {
    if (this.#breaker.phase === 'closed') return 0;
    const session = this.#supervisor.readySession;
    // A new connection is worth a try, whatever became of the one before.
    const isNew = this.#breaker.phase === 'open' && session !== undefined && session !== this.#failed?.deref();
    return isNew ? 0 : refusedForMs(this.#breaker, performance.now());
  }

  #lost(session: Session): void {
    if (!session.isOpen && session === this.#failed?.deref()) return;
    this.#failed = new WeakRef(session);
    this.#note({ type: 'failed', atMs: performance.now() });
  }

  #settled(call: Call): void {
    if (call === this.#probe) {
      this.#probe = undefined;
      if (this.#breaker.phase === 'probing') this.#note({ type: 'gave-up', atMs: performance.now() });
    }
    this.#supervisor.callEnded();
    this.#turns.leave(call);
    for (let next = this.#turns.next(); next; next = this.#turns.next()) next.start();
  }

  #note(input: BreakerInput): void {
    this.#breaker = nextBreaker(this.#breaker, input);
  }
}

/** Whether the tool says of itself that it only reads, or may run twice with the effect of once. */
function isSafeTwice({ tools }: RoutedServer, tool: string): boolean {
  const annotations = tools.find(({ name }) => name === tool)?.annotations;
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}
