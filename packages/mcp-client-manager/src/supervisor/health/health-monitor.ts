import { onAbort, unlessAborted } from '@x/internal/async';
import type { ServerPolicy } from '../../resolve-spec.js';
import type { Session } from '../../session/session.js';
import { maxHealthMisses } from '../state/restart-rules.js';
import { silenceVerdict } from './silence.js';

export type HealthVerdict = 'unknown' | 'healthy' | 'unhealthy';

export interface HealthMonitorHooks {
  /** Whether the check may call this tool of the server now. */
  readonly mayCall: (tool: string) => boolean;
  /**
   * Called after each check that counts: those that say that the server lives, and those of the monitor's own rhythm
   * that say that it does not. However often somebody else asks, a server is not ended for that.
   */
  readonly onChecked: (isAlive: boolean, reason: unknown) => void;
  /** Called when the server has been silent for `silentMs` while calls reached their limits, and missed a check too. */
  readonly onFrozen: (silentMs: number, reason: unknown) => void;
  /** Called when the verdict has changed. */
  readonly onVerdict: (verdict: HealthVerdict) => void;
}

/** A server that said something valid so short a time ago, in milliseconds, need not be asked whether it lives. */
const freshMs = 15_000;
/** A call under way excuses a server that sends nothing at all for so long, in milliseconds. Some limits are hours. */
const busyMs = 300_000;
/** Checks come up to this part of the interval earlier or later, so that those of a fleet spread out. */
const jitter = 0.1;

class MissedCheck extends Error {}

interface Outcome {
  readonly isAlive: boolean;
  readonly reason?: unknown;
  /** Whether the check got no answer within its limit. */
  readonly isMiss?: boolean;
}

/** Asks a ready server now and then whether it still answers. */
export class HealthMonitor {
  readonly #hooks: HealthMonitorHooks;
  #server: ServerPolicy;
  #session: Session | undefined;
  #ending = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** The check that is under way: whoever asks meanwhile gets its answer. */
  #checking: Promise<Outcome> | undefined;
  /** Decides again whether the server is frozen. */
  #silenceTimer: NodeJS.Timeout | undefined;
  #isSuspected = false;
  #verdict: HealthVerdict = 'unknown';
  #checkedAt: number | undefined;

  constructor(server: ServerPolicy, hooks: HealthMonitorHooks) {
    this.#server = server;
    this.#hooks = hooks;
  }

  /** What the last check said; `unknown` before the first and while the server is not running. */
  get verdict(): HealthVerdict {
    return this.#verdict;
  }

  /** When the verdict was reached, in milliseconds since 1970. */
  get checkedAt(): number | undefined {
    return this.#checkedAt;
  }

  /** Why the health check does not call its tool, for people. Empty if it does, or has none. */
  get problems(): readonly string[] {
    const { healthCheck } = this.#server;
    if (this.#session === undefined || healthCheck.method === 'ping' || !this.#asksByPing) return [];
    return [
      `The health check does not call "${healthCheck.tool}", which may not be called now. It sends a ping in its place`,
    ];
  }

  /** Whether the last check passed. Before the first: whether the server has just sent something, where that counts. */
  get isWell(): boolean {
    if (this.#verdict !== 'unknown') return this.#verdict === 'healthy';
    return this.#session !== undefined && this.#hasJustSpoken(this.#session);
  }

  start(session: Session): void {
    this.stop();
    this.#session = session;
    this.#ending = new AbortController();
    this.#checkLater();
  }

  /** From the next check on. */
  update(server: ServerPolicy): void {
    const isSameRhythm = server.healthCheckIntervalMs === this.#server.healthCheckIntervalMs;
    this.#server = server;
    if (this.#session && !isSameRhythm) this.#checkLater();
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#silenceTimer);
    this.#isSuspected = false;
    this.#session = undefined;
    this.#checking = undefined;
    this.#ending.abort(new Error('the server is not watched any more'));
    this.#checkedAt = undefined;
    this.#verdict = 'unknown';
  }

  /**
   * Joins a check that is under way. The signal ends the wait alone.
   * @returns Whether the server answered as its health check asks; `false` when none is watched.
   */
  async checkNow({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<boolean> {
    const session = this.#session;
    if (!session) return false;
    const { isAlive } = await unlessAborted(this.#probe(session), signal);
    return isAlive;
  }

  /**
   * A call that was sent at `sentAtMs` reached its limit without a byte of the server since, and no older call is under way.
   * The server is checked at once; a further call of which the same is true changes nothing.
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
    else this.#isSuspected = false; // it answered, or the connection failed, which others see to
  }

  #decide(session: Session, sentAtMs: number, reason: unknown): void {
    if (session !== this.#session || !session.isOpen) return;
    const patienceMs = maxHealthMisses * this.#server.healthCheck.timeoutMs;
    const silence = { sentAtMs, lastByteAtMs: session.lastByteAt, hasMissedCheck: true, patienceMs };
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

  #checkLater(): void {
    clearTimeout(this.#timer);
    const intervalMs = this.#server.healthCheckIntervalMs * (1 - jitter + 2 * jitter * Math.random());
    this.#timer = setTimeout(() => void this.#checkAndGoOn(), intervalMs);
    this.#timer.unref(); // an idle host may end; its servers end with it
  }

  async #checkAndGoOn(): Promise<void> {
    const session = this.#session;
    if (!session) return;
    if (this.#hasJustSpoken(session)) this.#judge({ isAlive: true });
    else this.#count(session, await this.#probe(session));
    if (session === this.#session) this.#checkLater();
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
    // A check that failed because the session ended meanwhile says nothing that its supervisor does not know.
    if (session.isOpen) this.#judge(outcome);
    return outcome;
  }

  #count(session: Session, { isAlive, reason }: Outcome): void {
    if (isAlive || session !== this.#session || !session.isOpen) return;
    // Many servers do one thing at a time: one that is busy with a call is not dead because it does not answer a ping.
    const isBusy = session.callsInFlight > 0 && performance.now() - session.lastByteAt < busyMs;
    if (!isBusy) this.#hooks.onChecked(false, reason);
  }

  /** Whatever a server says is a sign of life. It is none of what a tool says that is called to tell how the server is. */
  #hasJustSpoken({ lastHeardAt }: Session): boolean {
    return this.#asksByPing && performance.now() - lastHeardAt < freshMs;
  }

  get #asksByPing(): boolean {
    const { healthCheck } = this.#server;
    return healthCheck.method === 'ping' || !this.#hooks.mayCall(healthCheck.tool);
  }

  #judge({ isAlive }: Outcome): void {
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
      if (healthCheck.method === 'ping' || this.#asksByPing) return await session.checkAlive({ signal });
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
