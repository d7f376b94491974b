import { onAbort, unlessAborted } from '@x/internal/async';
import type { ServerPolicy } from '../../resolve-spec.js';
import type { Session } from '../../session/session.js';
import { maxHealthMisses } from '../state/backoff.js';
import { silenceVerdict } from './silence.js';

export type HealthVerdict = 'unknown' | 'healthy' | 'unhealthy';

export interface HealthMonitorHooks {
  readonly mayCall: (tool: string) => boolean;
  /**
   * Called after each passed check, and after each failed periodic check. Failed checks on request do not end a server.
   */
  readonly onChecked: (isAlive: boolean, reason: unknown) => void;
  /** The server was silent for `silentMs` while calls timed out, and missed a check, too. */
  readonly onFrozen: (silentMs: number, reason: unknown) => void;
  readonly onVerdict: (verdict: HealthVerdict) => void;
}

/** A valid message this recent replaces a check. */
const freshMs = 15_000;
/** Longest silence that a call in progress excuses. Some calls may last hours. */
const busyMs = 300_000;
/** Random part of the interval, both ways, to spread out checks of many servers. */
const jitter = 0.1;

class MissedCheck extends Error {}

interface Outcome {
  readonly isAlive: boolean;
  readonly reason?: unknown;
  readonly isMiss?: boolean;
}

export class HealthMonitor {
  readonly #hooks: HealthMonitorHooks;
  #server: ServerPolicy;
  #session: Session | undefined;
  #ending = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<Outcome> | undefined;
  #silenceTimer: NodeJS.Timeout | undefined;
  #isSuspected = false;
  #verdict: HealthVerdict = 'unknown';
  #checkedAt: number | undefined;

  constructor(server: ServerPolicy, hooks: HealthMonitorHooks) {
    this.#server = server;
    this.#hooks = hooks;
  }

  /** `unknown` before the first check and while the server is not running. */
  get verdict(): HealthVerdict {
    return this.#verdict;
  }

  get checkedAt(): number | undefined {
    return this.#checkedAt;
  }

  /** Problems of the check, for people. Empty if the check calls its tool, or has none. */
  get problems(): readonly string[] {
    const { healthCheck } = this.#server;
    if (this.#session === undefined || healthCheck.method === 'ping' || !this.#usesPing) return [];
    return [
      `The health check does not call "${healthCheck.tool}" now, since that is not allowed. It sends a ping instead`,
    ];
  }

  /** Before the first check: if a recent message replaces it. */
  get isWell(): boolean {
    if (this.#verdict !== 'unknown') return this.#verdict === 'healthy';
    return this.#session !== undefined && this.#isRecentlyActive(this.#session);
  }

  start(session: Session): void {
    this.stop();
    this.#session = session;
    this.#ending = new AbortController();
    this.#scheduleCheck();
  }

  update(server: ServerPolicy): void {
    const isSameRhythm = server.healthCheckIntervalMs === this.#server.healthCheckIntervalMs;
    this.#server = server;
    if (this.#session && !isSameRhythm) this.#scheduleCheck();
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#silenceTimer);
    this.#isSuspected = false;
    this.#session = undefined;
    this.#checking = undefined;
    this.#ending.abort(new Error('the server is no longer monitored'));
    this.#checkedAt = undefined;
    this.#verdict = 'unknown';
  }

  /**
   * Joins a check in progress. The signal ends only the wait.
   *
   * @returns Whether the server passed; `false` when none is monitored.
   */
  async checkNow({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<boolean> {
    const session = this.#session;
    if (!session) return false;
    const { isAlive } = await unlessAborted(this.#probe(session), signal);
    return isAlive;
  }

  /**
   * A call of `sentAtMs` timed out without any byte from the server, and no older call is in progress. Checks the
   * server at once; further such calls join.
   */
  suspect(session: Session, sentAtMs: number): void {
    if (session !== this.#session || this.#isSuspected) return;
    this.#isSuspected = true;
    void this.#investigate(session, sentAtMs);
  }

  async #investigate(session: Session, sentAtMs: number): Promise<void> {
    const { isMiss = false, reason } = await this.#probe(session);
    if (session !== this.#session) return;
    if (isMiss) this.#decide(session, sentAtMs, reason);
    else this.#isSuspected = false;
  }

  #decide(session: Session, sentAtMs: number, reason: unknown): void {
    if (session !== this.#session || !session.isOpen) return;
    const silenceLimitMs = maxHealthMisses * this.#server.healthCheck.timeoutMs;
    const silence = { sentAtMs, lastByteAtMs: session.lastByteAt, hasMissedCheck: true, silenceLimitMs };
    const nowMs = performance.now();
    const verdict = silenceVerdict(silence, nowMs);
    if (verdict.kind === 'wait') {
      this.#silenceTimer = setTimeout(() => this.#decide(session, sentAtMs, reason), verdict.forMs);
      this.#silenceTimer.unref();
      return;
    }
    this.#isSuspected = false;
    if (verdict.kind === 'frozen') this.#hooks.onFrozen(nowMs - sentAtMs, reason);
  }

  #scheduleCheck(): void {
    clearTimeout(this.#timer);
    const intervalMs = this.#server.healthCheckIntervalMs * (1 - jitter + 2 * jitter * Math.random());
    this.#timer = setTimeout(() => void this.#runCheck(), intervalMs);
    this.#timer.unref(); // an idle process may exit; its servers end with it
  }

  async #runCheck(): Promise<void> {
    const session = this.#session;
    if (!session) return;
    if (this.#isRecentlyActive(session)) this.#setVerdict({ isAlive: true });
    else this.#count(session, await this.#probe(session));
    if (session === this.#session) this.#scheduleCheck();
  }

  #probe(session: Session): Promise<Outcome> {
    const present = this.#checking ?? this.#outcomeOf(session);
    this.#checking = present;
    return present;
  }

  async #outcomeOf(session: Session): Promise<Outcome> {
    const outcome = await this.#check(session).then(
      (): Outcome => ({ isAlive: true }),
      (reason: unknown): Outcome => ({ isAlive: false, reason, isMiss: reason instanceof MissedCheck }),
    );
    if (session !== this.#session) return outcome;
    this.#checking = undefined;
    // The supervisor already knows of an ended session.
    if (session.isOpen) this.#setVerdict(outcome);
    return outcome;
  }

  #count(session: Session, { isAlive, reason }: Outcome): void {
    if (isAlive || session !== this.#session || !session.isOpen) return;
    // Many servers do one thing at a time: a busy one may miss a ping.
    const isBusy = session.callsInFlight > 0 && performance.now() - session.lastByteAt < busyMs;
    if (!isBusy) this.#hooks.onChecked(false, reason);
  }

  /** Any valid message proves life, unless the check calls a tool that reports health. */
  #isRecentlyActive({ lastMessageAt }: Session): boolean {
    return this.#usesPing && performance.now() - lastMessageAt < freshMs;
  }

  get #usesPing(): boolean {
    const { healthCheck } = this.#server;
    return healthCheck.method === 'ping' || !this.#hooks.mayCall(healthCheck.tool);
  }

  #setVerdict({ isAlive }: Outcome): void {
    const before = this.#verdict;
    this.#verdict = isAlive ? 'healthy' : 'unhealthy';
    this.#checkedAt = Date.now();
    if (isAlive) this.#hooks.onChecked(true, undefined);
    if (this.#verdict !== before) this.#hooks.onVerdict(this.#verdict);
  }

  async #check(session: Session): Promise<void> {
    const { name, healthCheck } = this.#server;
    const { timeoutMs } = healthCheck;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new MissedCheck(`no answer within ${timeoutMs} ms`)), timeoutMs);
    const ending = this.#ending.signal;
    const ignoreEnding = onAbort(ending, () => deadline.abort(ending.reason));
    const { signal } = deadline;
    try {
      if (healthCheck.method === 'ping' || this.#usesPing) return await session.checkAlive({ signal });
      const result = await session.callTool(healthCheck.tool, healthCheck.args ?? {}, { signal });
      if (result.isError)
        throw new Error(`the health check's tool "${healthCheck.tool}" of "${name}" returned an error`);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      ignoreEnding();
      clearTimeout(timer);
    }
  }
}
