import { onAbort } from '@x/internal/async';
import type { Operation, OperationOutcome } from '@x/internal/contracts';
import type { ManagerError } from '../errors.js';
import type { Params, RawResult } from '../session/peer/json-rpc.js';
import { busyInstead, isUnavailableError, withStderrTail } from '../session/peer/request-error.js';
import { type CallHandler, pausingHandler, type WaitingRequest } from '../session/server-requests/call-handler.js';
import {
  type Era,
  type OutgoingRequest,
  type RequestHandle,
  type Session,
  SessionLostError,
  type ToolProgress,
} from '../session/session.js';
import { afterInput } from './after-input.js';
import { queueKeyOf, type RequestPolicy } from './call-options.js';
import { Deadline } from './deadline.js';
import type { GateEntry } from './gate.js';
import type { RequestContext, RequestOutcome, RequestSpec } from './request-context.js';
import {
  displaced,
  lostRequest,
  nameOf,
  type RequestName,
  silentTooLong,
  stoppedBefore,
  timedOut,
  waitedTooLong,
} from './request-failures.js';

/** Time after sending from which a cancellation by the caller counts as a timeout. */
const abandonedMs = 15_000;

/**
 * One request until it settles. An unsent request moves on to the next process of its server. A sent one is repeated
 * only if its caller allows that and it is safe.
 */
export class RoutedRequest implements OutgoingRequest, GateEntry, WaitingRequest {
  readonly method: string;
  readonly params: Params;
  readonly handler: CallHandler | undefined;
  readonly operation: Operation | undefined;
  readonly era: Era | undefined;
  readonly #context: RequestContext;
  readonly #spec: RequestSpec;
  readonly #policy: RequestPolicy;
  readonly #outcome: RequestOutcome;
  /** Only a client handler needs a deadline that can pause. */
  readonly #deadline: NodeJS.Timeout | Deadline;
  readonly #dueMs: number;
  readonly #ignoreSignal: (() => void) | undefined;
  #state: 'queued' | 'waiting' | 'sent' | 'settled' = 'queued';
  #attempts = 0;
  /** Error of the first attempt, reported if the second cannot be made. */
  #lost: ManagerError | undefined;
  #session: Session | undefined;
  /** The connection that could not be written to. A second failure on it is final. */
  #failedSession: Session | undefined;
  /** True once a server refused the request because it did not know the session. */
  #wasSessionUnknown = false;
  #handle: RequestHandle | undefined;
  #sentAtMs = 0;
  #waiting: AbortController | undefined;
  #silence: NodeJS.Timeout | undefined;
  #isWaitingForClient = false;
  #progressCount = 0;

  constructor(context: RequestContext, spec: RequestSpec, policy: RequestPolicy, outcome: RequestOutcome) {
    this.method = spec.method;
    this.params = spec.params;
    this.#context = context;
    this.#spec = spec;
    this.#policy = policy;
    this.#outcome = outcome;
    this.operation = beginOperation(context, spec, policy);
    const { signal, handler, timeoutMs } = policy;
    this.handler = handler && pausingHandler(handler, this);
    this.era = spec.isShared ? undefined : handler?.era;
    this.#dueMs = performance.now() + timeoutMs;
    this.#deadline = handler
      ? new Deadline(timeoutMs, () => this.onDeadline())
      : setTimeout(endAtDeadline, timeoutMs, this);
    this.#ignoreSignal = signal && onAbort(signal, () => this.#cancelByCaller(signal.reason));
  }

  get what(): string {
    return nameOf(this.#spec);
  }

  get meta(): Params | undefined {
    return this.operation ? this.operation.meta : this.#policy.meta;
  }

  get inputRequired(): 'answer' | 'return' | undefined {
    return this.#policy.inputRequired;
  }

  get client(): unknown {
    return queueKeyOf(this.#policy);
  }

  get wantsProgress(): boolean {
    return this.#policy.onProgress !== undefined || this.#policy.idleTimeoutMs !== undefined;
  }

  get queueTimeoutMs(): number | undefined {
    return this.#policy.queueTimeoutMs;
  }

  start(): void {
    const session = this.#context.supervisor.readySessionFor(this.era);
    if (!session) this.operation?.event('mcpx.server.awaited');
    if (session) this.#sendTo(session);
    else void this.#sendWhenReady();
  }

  cancel(reason: unknown): void {
    if (this.#state === 'settled') return;
    this.#handle?.cancel(reason); // first, so that the cancellation precedes the next request
    this.#waiting?.abort(reason);
    this.#settle(reason);
  }

  #cancelByCaller(reason: unknown): void {
    if (performance.now() - this.#sentAtMs >= abandonedMs) this.#reportTimeout();
    this.cancel(reason);
  }

  endInQueue(waitedMs: number): void {
    this.cancel(waitedTooLong(this.#name(), waitedMs));
  }

  displace(): void {
    this.cancel(displaced(this.#name()));
  }

  refuse(): void {
    const isUnsent = this.#state === 'queued' || this.#handle?.isSent === false;
    if (isUnsent) this.cancel(this.#lost ?? stoppedBefore(this.#name()));
  }

  onDeadline(): void {
    const dueMs = this.#deadline instanceof Deadline ? this.#deadline.dueMs : this.#dueMs;
    const wasWaiting = this.#isWaitingForClient;
    this.#afterInput(dueMs, () => {
      // A server request that was just read has reset the deadline.
      if (wasWaiting || !this.#isWaitingForClient) this.#endAtDeadline();
    });
  }

  onSilenceTimeout(): void {
    const countBefore = this.#progressCount;
    this.#afterInput(Number.POSITIVE_INFINITY, () => {
      if (this.#progressCount === countBefore) this.#endInSilence();
    });
  }

  pauseForClient(): void {
    if (this.#state === 'settled') return;
    this.#isWaitingForClient = true;
    if (this.#deadline instanceof Deadline) this.#deadline.pause();
    this.#context.gate.pause(this);
  }

  resumeAfterClient(): Promise<void> | undefined {
    if (this.#state === 'settled') return undefined;
    this.#isWaitingForClient = false;
    this.#silence?.refresh();
    if (this.#session) this.#context.gate.sentTo(this.#session, this);
    if (this.#deadline instanceof Deadline) this.#deadline.resume();
    return this.#context.gate.resume(this);
  }

  onProgress(progress: ToolProgress): void {
    if (this.#state !== 'sent') return;
    this.#silence?.refresh();
    this.#progressCount += 1;
    this.#policy.onProgress?.(progress);
  }

  onResult(result: RawResult): void {
    if (this.#state === 'settled') return;
    const { read } = this.#spec;
    this.#context.gate.answered();
    this.#end({ result });
    try {
      this.#outcome.resolve(read ? read(result) : result);
    } catch (error) {
      this.#outcome.reject(error);
    }
  }

  onFailure(error: unknown): void {
    if (this.#state === 'settled') return;
    if (error instanceof SessionLostError) {
      void this.#afterLoss(error);
      return;
    }
    if (this.#session) this.#context.gate.failed(this.#session, error);
    this.#settle(this.#withTail(this.#errorFor(error)));
  }

  /** The server was overloaded: a repeatable call may be retried. */
  #errorFor(error: unknown): unknown {
    return this.#spec.isRepeatable && isUnavailableError(error) ? busyInstead(error) : error;
  }

  async #sendWhenReady(): Promise<void> {
    this.#state = 'waiting';
    this.#waiting = new AbortController();
    let session: Session;
    try {
      const { signal } = this.#waiting;
      session = await this.#context.supervisor.acquireSessionFor(this.era, { signal });
    } catch (error) {
      this.#settle(this.#lost ?? error);
      return;
    }
    if (!this.#isSettled()) this.#sendTo(session);
  }

  #sendTo(session: Session): void {
    this.#state = 'sent';
    this.#session = session;
    this.#waiting = undefined;
    this.#sentAtMs = performance.now();
    this.#context.gate.sentTo(session, this);
    if (this.#spec.send) this.operation?.divided();
    try {
      this.#handle = this.#spec.send ? this.#spec.send(session, this) : session.send(this);
    } catch (error) {
      // Deferred: each end admits the next request, and a whole queue may fail like this.
      queueMicrotask(() => this.onFailure(error));
      return;
    }
    const { idleTimeoutMs } = this.#policy;
    if (idleTimeoutMs !== undefined) this.#silence = setTimeout(endInSilence, idleTimeoutMs, this);
  }

  async #afterLoss(error: SessionLostError): Promise<void> {
    const session = this.#session as Session;
    this.#handle = undefined;
    this.operation?.event('mcpx.connection.lost');
    clearTimeout(this.#silence);
    if (error.sent) {
      this.#attempts += 1;
    } else if (error.refused ? !this.#wasSessionUnknown : session !== this.#failedSession) {
      this.#wasSessionUnknown ||= error.refused;
      this.#failedSession = session;
      this.start();
      return;
    }
    const { supervisor, gate } = this.#context;
    const loss = session.isOpen ? undefined : await supervisor.lossOf(session);
    if (this.#isSettled()) return;
    const wasStopRequested = loss?.code === 'server-stopping';
    if (!wasStopRequested) gate.lost(session);
    const mayRepeat = this.#policy.repeat === 'if-safe' && this.#spec.isRepeatable === true;
    const ended = { loss, cause: error, attempts: this.#attempts, maySafelyRepeat: mayRepeat };
    const failure = lostRequest(this.#name(), ended);
    if (!mayRepeat || wasStopRequested || !error.sent || this.#attempts > 1) {
      this.#settle(this.#withTail(failure));
      return;
    }
    this.#lost = failure;
    this.start();
  }

  #endAtDeadline(): void {
    const isSent = this.#handle?.isSent || this.#attempts > 0;
    const progress = isSent ? 'sent' : this.#state === 'queued' ? 'queued' : 'waiting';
    this.#reportTimeout();
    const limit = { timeoutMs: this.#policy.timeoutMs, whyNotReady: this.#context.supervisor.whyNotReady };
    this.cancel(this.#withTail(timedOut(this.#name(), limit, progress)));
  }

  #endInSilence(): void {
    // Silence counts only while the server has to respond.
    if (this.#handle?.isSent === false || this.#isWaitingForClient) {
      this.#silence?.refresh();
      return;
    }
    this.#reportTimeout();
    this.cancel(this.#withTail(silentTooLong(this.#name(), this.#policy.idleTimeoutMs ?? 0)));
  }

  #afterInput(dueMs: number, decide: () => void): void {
    const lastByteAtMs = (): number | undefined => this.#session?.lastByteAt;
    afterInput({ dueMs, lastByteAtMs, isOver: () => this.#isSettled() }, decide);
  }

  #reportTimeout(): void {
    if (this.#handle?.isSent !== true || !this.#session || this.#isWaitingForClient) return;
    this.#context.gate.timedOut(this, this.#session, this.#sentAtMs);
  }

  #settle(reason: unknown): void {
    if (this.#isSettled()) return;
    this.#end({ error: reason });
    this.#outcome.reject(reason);
  }

  #end(outcome: OperationOutcome): void {
    this.#state = 'settled';
    this.operation?.end(outcome);
    if (this.#deadline instanceof Deadline) this.#deadline.clear();
    else clearTimeout(this.#deadline);
    if (this.#silence) clearTimeout(this.#silence);
    this.#ignoreSignal?.();
    this.#context.gate.release(this);
  }

  #name(): RequestName {
    const { tool, method } = this.#spec;
    return { server: this.#context.server, tool, method };
  }

  #withTail(error: unknown): unknown {
    return withStderrTail(error, () => this.#context.supervisor.stderrTail());
  }

  #isSettled(): boolean {
    return this.#state === 'settled';
  }
}

/** Also for a request that is refused before it begins. */
export function beginOperation(
  { telemetry, server }: RequestContext,
  { method, params }: RequestSpec,
  { meta }: RequestPolicy,
): Operation | undefined {
  return telemetry?.begin({ kind: 'client', method, params, meta, server });
}

// Separate functions: the timers of a request need no closure.
function endAtDeadline(request: RoutedRequest): void {
  request.onDeadline();
}

function endInSilence(request: RoutedRequest): void {
  request.onSilenceTimeout();
}
