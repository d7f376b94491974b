import { onAbort } from '@x/internal/async';
import { callListener } from '@x/internal/events';
import type { ManagerError } from '../errors.js';
import type { CallHost } from '../session/call-host.js';
import {
  type CallHandle,
  type OutgoingCall,
  type Session,
  SessionLostError,
  type ToolCallResult,
  type ToolProgress,
} from '../session/session.js';
import { busyInstead, isUnavailableError } from '../session/unavailable.js';
import { withStderrTail } from '../session/with-stderr-tail.js';
import { afterInput } from './after-input.js';
import { displaced, lostCall, silentTooLong, stoppedBefore, timedOut, waitedTooLong } from './call-failures.js';
import type { CallPolicy } from './call-options.js';
import { sharerOf } from './caller.js';
import { Deadline } from './deadline.js';
import type { Gate, TurnTaker } from './gate.js';
import { awaitedHost, type WaitingForHost } from './host-wait.js';
import { sendCall } from './send-call.js';

/** A call that its caller takes back after this time, in milliseconds, counts as one that reached its limit. */
const abandonedMs = 15_000;

/** What a call needs of whoever keeps its server. */
export interface CalledServer {
  /** The session of a server that takes calls right now. */
  readonly readySession: Session | undefined;
  /** Starts the server if that is allowed, and waits for its session. */
  wanted(limit: { signal: AbortSignal }): Promise<Session>;
  /** How a session ended. */
  lossOf(session: Session): Promise<ManagerError>;
  /** Why the server takes no calls now, for people, where a failure is known. */
  readonly whyNotReady: string | undefined;
  /** The last lines that the server's process wrote to stderr, oldest first. */
  stderrTail(): readonly string[];
}

/** What all calls to one server have in common. */
export interface CallContext {
  readonly server: string;
  readonly supervisor: CalledServer;
  /** Whether a call of `tool` may be made twice. */
  mayRepeat(tool: string): boolean;
  /** Where the call has its turn, and tells what becomes of it. */
  readonly gate: Gate;
}

export interface CallRequest {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly policy: CallPolicy;
}

/** Where a promise's two ends are. */
export interface CallOutcome {
  readonly resolve: (result: ToolCallResult) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * One call from its admission to its one settlement. It finds whatever process serves its server now: what was not sent
 * yet moves on to the next one, what was sent is not sent again unless its caller has asked for that.
 */
export class Call implements OutgoingCall, TurnTaker, WaitingForHost {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly host: CallHost | undefined;
  readonly #context: CallContext;
  readonly #policy: CallPolicy;
  readonly #outcome: CallOutcome;
  /** Only a call that may wait for its host has a clock which can be stopped. */
  readonly #deadline: NodeJS.Timeout | Deadline;
  readonly #dueMs: number;
  readonly #ignoreSignal: (() => void) | undefined;
  /** Whether the tool may run twice with the effect of once, and its server is believed that. */
  readonly #isSafeTwice: boolean;
  readonly #mayRepeat: boolean;
  #state: 'queued' | 'waiting' | 'sent' | 'settled' = 'queued';
  /** Times that the request was sent to a connection which was lost then. */
  #attempts = 0;
  /** What became of the first attempt while there is a second: whatever keeps that from being made, this is the truth. */
  #lost: ManagerError | undefined;
  #session: Session | undefined;
  /** The connection that could not even be written to. A second time there is no hope for it. */
  #deadEnd: Session | undefined;
  /** Whether a server has refused the call because it did not know the session. */
  #wasRefused = false;
  #handle: CallHandle | undefined;
  /** When the request was handed over last, by `performance.now()`. */
  #sentAtMs = 0;
  /** Ends the wait for the server. */
  #waiting: AbortController | undefined;
  #silence: NodeJS.Timeout | undefined;
  #isWaitingForHost = false;
  #progressCount = 0;

  constructor(context: CallContext, { tool, args, policy }: CallRequest, outcome: CallOutcome) {
    this.#context = context;
    this.tool = tool;
    this.args = args;
    this.#policy = policy;
    this.#outcome = outcome;
    // Read now: a server that went down because of a failure offers no tools.
    // What `params` say may be half of something: answers to what the server has asked, or a task.
    this.#isSafeTwice = policy.params === undefined && context.mayRepeat(tool);
    this.#mayRepeat = policy.repeat === 'if-safe' && this.#isSafeTwice;
    const { signal, host, timeoutMs } = policy;
    this.host = host && awaitedHost(host, this);
    this.#dueMs = performance.now() + timeoutMs;
    this.#deadline = host
      ? new Deadline(timeoutMs, () => this.deadlineOver())
      : setTimeout(endAtDeadline, timeoutMs, this);
    this.#ignoreSignal = signal && onAbort(signal, () => this.#giveUp(signal.reason));
  }

  get meta(): Readonly<Record<string, unknown>> | undefined {
    return this.#policy.meta;
  }

  get params(): Readonly<Record<string, unknown>> | undefined {
    return this.#policy.params;
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

  /** It is the call's turn. */
  start(): void {
    const { supervisor } = this.#context;
    const session = supervisor.readySession;
    if (session) this.#sendTo(session);
    else void this.#sendWhenReady();
  }

  /** Ends the call with `reason`, wherever it is. */
  cancel(reason: unknown): void {
    if (this.#state === 'settled') return;
    const handle = this.#handle;
    const waiting = this.#waiting;
    this.#settle(reason);
    handle?.cancel(reason);
    waiting?.abort(reason);
  }

  /** A caller that waited this long in vain has set its own limit. */
  #giveUp(reason: unknown): void {
    if (performance.now() - this.#sentAtMs >= abandonedMs) this.#tellOfLimit();
    this.cancel(reason);
  }

  get queueTimeoutMs(): number | undefined {
    return this.#policy.queueTimeoutMs;
  }

  endInQueue(waitedMs: number): void {
    const { server } = this.#context;
    this.cancel(waitedTooLong({ server, what: `the call of "${this.tool}"` }, waitedMs));
  }

  displace(): void {
    const { server } = this.#context;
    this.cancel(displaced({ server, what: `the call of "${this.tool}"` }));
  }

  /** The server is being stopped: a call that it does not have yet is not made. */
  refuse(): void {
    const isHeld = this.#state === 'queued' || this.#handle?.isSent === false;
    const { server } = this.#context;
    if (isHeld) this.cancel(this.#lost ?? stoppedBefore({ server, what: `the call of "${this.tool}"` }));
  }

  deadlineOver(): void {
    const dueMs = this.#deadline instanceof Deadline ? this.#deadline.dueMs : this.#dueMs;
    const wasWaiting = this.#isWaitingForHost;
    this.#afterInput(dueMs, () => {
      // A question to the host that was read meanwhile has stopped the clock, and set it anew.
      if (wasWaiting || !this.#isWaitingForHost) this.#endAtDeadline();
    });
  }

  #afterInput(dueMs: number, decide: () => void): void {
    const lastByteAtMs = (): number | undefined => this.#session?.lastByteAt;
    afterInput({ dueMs, lastByteAtMs, isOver: () => this.#isSettled() }, decide);
  }

  #endAtDeadline(): void {
    const { server, supervisor } = this.#context;
    const isSent = this.#handle?.isSent || this.#attempts > 0;
    const progress = isSent ? 'sent' : this.#state === 'queued' ? 'queued' : 'waiting';
    this.#tellOfLimit();
    const limit = { timeoutMs: this.#policy.timeoutMs, whyNotReady: supervisor.whyNotReady };
    this.cancel(this.#withTail(timedOut({ server, tool: this.tool }, limit, progress)));
  }

  /** The host is asked: neither the time of the call nor its turn is spent on a person who thinks. */
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

  silenceOver(): void {
    const heardBefore = this.#progressCount;
    this.#afterInput(Number.POSITIVE_INFINITY, () => {
      if (this.#progressCount === heardBefore) this.#endInSilence();
    });
  }

  #endInSilence(): void {
    // Before the request is sent there is nothing that the server could answer, and then it is the one who waits.
    if (this.#handle?.isSent === false || this.#isWaitingForHost) {
      this.#silence?.refresh();
      return;
    }
    this.#tellOfLimit();
    const name = { server: this.#context.server, tool: this.tool };
    this.cancel(this.#withTail(silentTooLong(name, this.#policy.idleTimeoutMs ?? 0)));
  }

  onProgress(progress: ToolProgress): void {
    if (this.#state !== 'sent') return;
    this.#silence?.refresh();
    this.#progressCount += 1;
    const { onProgress } = this.#policy;
    if (onProgress) callListener('An onProgress listener', () => onProgress(progress));
  }

  onResult(result: ToolCallResult): void {
    if (this.#state === 'settled') return;
    this.#context.gate.answered();
    this.#end();
    this.#outcome.resolve(result);
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

  #toldOf(error: unknown): unknown {
    if (!this.#isSafeTwice || !isUnavailableError(error)) return error;
    return busyInstead(error);
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
      this.#handle = sendCall(session, this);
    } catch (error) {
      // Later, since one call's end is the next one's turn, and a whole queue may fail like this.
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
    const { server, supervisor } = this.#context;
    const loss = session.isOpen ? undefined : await supervisor.lossOf(session);
    if (this.#isSettled()) return;
    const isAsked = loss?.code === 'server-stopping';
    if (!isAsked) this.#context.gate.lost(session);
    const ended = { loss, cause: error, attempts: this.#attempts, maySafelyRepeat: this.#mayRepeat };
    const failure = lostCall({ server, tool: this.tool }, ended);
    if (!this.#mayRepeat || isAsked || !error.sent || this.#attempts > 1) {
      this.#settle(failure);
      return;
    }
    this.#lost = failure;
    this.start();
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

  #withTail(error: unknown): unknown {
    return withStderrTail(error, () => this.#context.supervisor.stderrTail());
  }

  #isSettled(): boolean {
    return this.#state === 'settled';
  }
}

// Functions of their own, so that a call's timers need no closure.
function endAtDeadline(call: Call): void {
  call.deadlineOver();
}

function endInSilence(call: Call): void {
  call.silenceOver();
}
