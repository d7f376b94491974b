import { onAbort } from '@x/internal/async';
import type { ManagerError } from '../errors.js';
import type { CallHost } from '../session/call-host.js';
import type { Params, RawResult } from '../session/json-rpc.js';
import {
  type OutgoingRequest,
  type RequestHandle,
  type Session,
  SessionLostError,
  type ToolProgress,
} from '../session/session.js';
import { busyInstead, isUnavailableError } from '../session/unavailable.js';
import { withStderrTail } from '../session/with-stderr-tail.js';
import { afterInput } from './after-input.js';
import type { RequestPolicy } from './call-options.js';
import { sharerOf } from './caller.js';
import { awaitedHost, type WaitingRequest } from './client-handler-wait.js';
import { Deadline } from './deadline.js';
import type { TurnTaker } from './gate.js';
import type { Asked, RequestContext, RequestOutcome } from './request-context.js';
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

/** A request that its caller takes back after this time, in milliseconds, counts as one that reached its limit. */
const abandonedMs = 15_000;

/**
 * One request from its admission to its one settlement. It finds whatever process serves its server now: what was not sent
 * yet moves on to the next one, what was sent is not sent again unless its caller has asked for that and it is safe.
 */
export class RoutedRequest implements OutgoingRequest, TurnTaker, WaitingRequest {
  readonly method: string;
  readonly params: Params;
  readonly host: CallHost | undefined;
  readonly #context: RequestContext;
  readonly #asked: Asked;
  readonly #policy: RequestPolicy;
  readonly #outcome: RequestOutcome;
  /** Only a request that may wait for its host has a clock which can be stopped. */
  readonly #deadline: NodeJS.Timeout | Deadline;
  readonly #dueMs: number;
  readonly #ignoreSignal: (() => void) | undefined;
  #state: 'queued' | 'waiting' | 'sent' | 'settled' = 'queued';
  /** Times that it was sent to a connection which was lost then. */
  #attempts = 0;
  /** What became of the first attempt while there is a second: whatever keeps that from being made, this is the truth. */
  #lost: ManagerError | undefined;
  #session: Session | undefined;
  /** The connection that could not even be written to. A second time there is no hope for it. */
  #deadEnd: Session | undefined;
  /** Whether a server has refused it because it did not know the session. */
  #wasRefused = false;
  #handle: RequestHandle | undefined;
  /** When it was handed over last, by `performance.now()`. */
  #sentAtMs = 0;
  /** Ends the wait for the server. */
  #waiting: AbortController | undefined;
  #silence: NodeJS.Timeout | undefined;
  #isWaitingForHost = false;
  #progressCount = 0;

  constructor(context: RequestContext, asked: Asked, policy: RequestPolicy, outcome: RequestOutcome) {
    this.method = asked.method;
    this.params = asked.params;
    this.#context = context;
    this.#asked = asked;
    this.#policy = policy;
    this.#outcome = outcome;
    const { signal, host, timeoutMs } = policy;
    this.host = host && awaitedHost(host, this);
    this.#dueMs = performance.now() + timeoutMs;
    this.#deadline = host
      ? new Deadline(timeoutMs, () => this.deadlineOver())
      : setTimeout(endAtDeadline, timeoutMs, this);
    this.#ignoreSignal = signal && onAbort(signal, () => this.#giveUp(signal.reason));
  }

  get what(): string {
    return nameOf(this.#asked);
  }

  get meta(): Params | undefined {
    return this.#policy.meta;
  }

  get inputRequired(): 'answer' | 'return' | undefined {
    return this.#policy.inputRequired;
  }

  get client(): unknown {
    return sharerOf(this.#policy);
  }

  get wantsProgress(): boolean {
    return this.#policy.onProgress !== undefined || this.#policy.idleTimeoutMs !== undefined;
  }

  get queueTimeoutMs(): number | undefined {
    return this.#policy.queueTimeoutMs;
  }

  /** It is the request's turn. */
  start(): void {
    const session = this.#context.supervisor.readySession;
    if (session) this.#sendTo(session);
    else void this.#sendWhenReady();
  }

  /** Ends the request with `reason`, wherever it is. */
  cancel(reason: unknown): void {
    if (this.#state === 'settled') return;
    this.#handle?.cancel(reason); // first, so that the server learns of it before it gets the next request
    this.#waiting?.abort(reason);
    this.#settle(reason);
  }

  /** A caller that waited this long in vain has set its own limit. */
  #giveUp(reason: unknown): void {
    if (performance.now() - this.#sentAtMs >= abandonedMs) this.#tellOfLimit();
    this.cancel(reason);
  }

  endInQueue(waitedMs: number): void {
    this.cancel(waitedTooLong(this.#name(), waitedMs));
  }

  displace(): void {
    this.cancel(displaced(this.#name()));
  }

  /** The server is being stopped: a request that it does not have yet is not made. */
  refuse(): void {
    const isHeld = this.#state === 'queued' || this.#handle?.isSent === false;
    if (isHeld) this.cancel(this.#lost ?? stoppedBefore(this.#name()));
  }

  deadlineOver(): void {
    const dueMs = this.#deadline instanceof Deadline ? this.#deadline.dueMs : this.#dueMs;
    const wasWaiting = this.#isWaitingForHost;
    this.#afterInput(dueMs, () => {
      // A question to the host that was read meanwhile has stopped the clock, and set it anew.
      if (wasWaiting || !this.#isWaitingForHost) this.#endAtDeadline();
    });
  }

  silenceOver(): void {
    const heardBefore = this.#progressCount;
    this.#afterInput(Number.POSITIVE_INFINITY, () => {
      if (this.#progressCount === heardBefore) this.#endInSilence();
    });
  }

  /** The host is asked: neither the time of the request nor its turn is spent on a person who thinks. */
  waits(): void {
    if (this.#state === 'settled') return;
    this.#isWaitingForHost = true;
    if (this.#deadline instanceof Deadline) this.#deadline.stop();
    this.#context.gate.pause(this);
  }

  goesOn(): Promise<void> | undefined {
    if (this.#state === 'settled') return undefined;
    this.#isWaitingForHost = false;
    this.#silence?.refresh();
    if (this.#session) this.#context.gate.sentTo(this.#session, this);
    if (this.#deadline instanceof Deadline) this.#deadline.goOn();
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
    const { read } = this.#asked;
    this.#context.gate.answered();
    this.#end();
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
    this.#settle(this.#withTail(this.#toldOf(error)));
  }

  /** A server that had no time may be asked again for what may run twice. */
  #toldOf(error: unknown): unknown {
    return this.#asked.isSafeTwice && isUnavailableError(error) ? busyInstead(error) : error;
  }

  async #sendWhenReady(): Promise<void> {
    this.#state = 'waiting';
    this.#waiting = new AbortController();
    let session: Session;
    try {
      session = await this.#context.supervisor.wanted({ signal: this.#waiting.signal });
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
    try {
      this.#handle = this.#asked.send ? this.#asked.send(session, this) : session.send(this);
    } catch (error) {
      // Later, since one request's end is the next one's turn, and a whole queue may fail like this.
      queueMicrotask(() => this.onFailure(error));
      return;
    }
    const { idleTimeoutMs } = this.#policy;
    if (idleTimeoutMs !== undefined) this.#silence = setTimeout(endInSilence, idleTimeoutMs, this);
  }

  async #afterLoss(error: SessionLostError): Promise<void> {
    const session = this.#session as Session; // there was one to lose
    this.#handle = undefined;
    clearTimeout(this.#silence);
    if (error.sent) {
      this.#attempts += 1;
    } else if (error.refused ? !this.#wasRefused : session !== this.#deadEnd) {
      this.#wasRefused ||= error.refused;
      this.#deadEnd = session;
      this.start();
      return;
    }
    const { supervisor, gate } = this.#context;
    const loss = session.isOpen ? undefined : await supervisor.lossOf(session);
    if (this.#isSettled()) return;
    const isAsked = loss?.code === 'server-stopping';
    if (!isAsked) gate.lost(session);
    const mayRepeat = this.#policy.repeat === 'if-safe' && this.#asked.isSafeTwice === true;
    const ended = { loss, cause: error, attempts: this.#attempts, maySafelyRepeat: mayRepeat };
    const failure = lostRequest(this.#name(), ended);
    if (!mayRepeat || isAsked || !error.sent || this.#attempts > 1) {
      this.#settle(this.#withTail(failure));
      return;
    }
    this.#lost = failure;
    this.start();
  }

  #endAtDeadline(): void {
    const isSent = this.#handle?.isSent || this.#attempts > 0;
    const progress = isSent ? 'sent' : this.#state === 'queued' ? 'queued' : 'waiting';
    this.#tellOfLimit();
    const limit = { timeoutMs: this.#policy.timeoutMs, whyNotReady: this.#context.supervisor.whyNotReady };
    this.cancel(this.#withTail(timedOut(this.#name(), limit, progress)));
  }

  #endInSilence(): void {
    // Before the request is sent there is nothing that the server could answer, and then it is the one who waits.
    if (this.#handle?.isSent === false || this.#isWaitingForHost) {
      this.#silence?.refresh();
      return;
    }
    this.#tellOfLimit();
    this.cancel(this.#withTail(silentTooLong(this.#name(), this.#policy.idleTimeoutMs ?? 0)));
  }

  #afterInput(dueMs: number, decide: () => void): void {
    const lastByteAtMs = (): number | undefined => this.#session?.lastByteAt;
    afterInput({ dueMs, lastByteAtMs, isOver: () => this.#isSettled() }, decide);
  }

  #tellOfLimit(): void {
    if (this.#handle?.isSent !== true || !this.#session || this.#isWaitingForHost) return;
    this.#context.gate.timedOut(this, this.#session, this.#sentAtMs);
  }

  #settle(reason: unknown): void {
    if (this.#isSettled()) return;
    this.#end();
    this.#outcome.reject(reason);
  }

  #end(): void {
    this.#state = 'settled';
    if (this.#deadline instanceof Deadline) this.#deadline.clear();
    else clearTimeout(this.#deadline);
    if (this.#silence) clearTimeout(this.#silence);
    this.#ignoreSignal?.();
    this.#context.gate.leave(this);
  }

  #name(): RequestName {
    const { tool, method } = this.#asked;
    return { server: this.#context.server, tool, method };
  }

  #withTail(error: unknown): unknown {
    return withStderrTail(error, () => this.#context.supervisor.stderrTail());
  }

  #isSettled(): boolean {
    return this.#state === 'settled';
  }
}

// Functions of their own, so that the timers of a request need no closure.
function endAtDeadline(request: RoutedRequest): void {
  request.deadlineOver();
}

function endInSilence(request: RoutedRequest): void {
  request.silenceOver();
}
