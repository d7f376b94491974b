import { onAbort, pause, unlessAborted } from '@x/internal/async';
import type { ToolCallResult } from '@x/internal/contracts';
import { messageOf } from '@x/internal/errors';
import { nearestName } from '@x/internal/options';
import { ManagerError } from '../../errors.js';
import type { ServerPolicy } from '../../resolve-spec.js';
import type { Session, ToolListing } from '../../session/session.js';
import { maxHealthMisses } from '../state/backoff.js';
import { silenceVerdict } from './silence.js';

export type HealthVerdict = 'unknown' | 'healthy' | 'unhealthy';

export interface HealthMonitorHooks {
  readonly mayCall: (tool: string) => boolean;
  /**
   * Called after each passed check, and after each failed periodic check. Failed checks on request do not end a server.
   */
  readonly onChecked: (isAlive: boolean, cause: ManagerError | undefined) => void;
  /** The server was silent while calls timed out, and missed a check, too. */
  readonly onFrozen: (cause: ManagerError) => void;
  /** Called after each change, and after each failed check that counts, with its reason. */
  readonly onVerdict: (verdict: HealthVerdict, reason: string | undefined) => void;
  /** A check of a starting server failed. Further checks follow. */
  readonly onStartCheck: (error: ManagerError) => void;
  readonly redact: (text: string) => string;
}

/** Pause after the first failed check of a starting server; doubles each time. */
const startPauseMs = 500;
const maxQuotedLength = 300;

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
  #problem: string | undefined;
  #isReported = false;

  constructor(server: ServerPolicy, hooks: HealthMonitorHooks) {
    this.#server = server;
    this.#hooks = hooks;
  }

  /** `unknown` while the server is not running, and before the first check of a start. */
  get verdict(): HealthVerdict {
    return this.#verdict;
  }

  get checkedAt(): number | undefined {
    return this.#checkedAt;
  }

  /** Reason of the last check, if it failed. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Problems of the check, for people. Empty if the check calls its tool, or has none. */
  get problems(): readonly string[] {
    const { health } = this.#server;
    if (this.#session === undefined || health.method === 'ping' || !this.#usesPing) return [];
    return [`The health check does not call "${health.tool}" now, since that is not allowed. It sends a ping instead`];
  }

  /** Before the first check: if a recent message replaces it. */
  get isWell(): boolean {
    if (this.#verdict !== 'unknown') return this.#verdict === 'healthy';
    return this.#session !== undefined && this.#isRecentlyActive(this.#session);
  }

  /**
   * Checks a starting server until it passes. The handshake counts as a passed ping.
   *
   * @throws {ManagerError} `unknown-tool`: the server lacks the tool of the check. `server-unresponsive`: no check passed
   *   within `limits.startupTimeoutMs`.
   */
  async untilPassed(session: Session, listing: ToolListing): Promise<void> {
    this.#watch(session);
    if (this.#usesPing) return this.#setVerdict({ isAlive: true });
    this.#requireTool(listing);
    const ending = this.#ending.signal;
    const endAt = performance.now() + this.#server.limits.startupTimeoutMs;
    for (let pauseMs = startPauseMs, last = ''; ; pauseMs *= 2) {
      const { isAlive, reason } = await this.#probe(session);
      if (isAlive || ending.aborted || !session.isOpen) return;
      if (messageOf(reason) !== last) this.#reportFailure();
      last = messageOf(reason);
      if (performance.now() + pauseMs > endAt) throw failedStartError(this.#server.name, reason);
      this.#hooks.onStartCheck(failedStartError(this.#server.name, reason));
      await pause(pauseMs, ending).catch(() => undefined); // aborts with the start
    }
  }

  start(session: Session): void {
    this.#watch(session);
    this.#scheduleCheck();
  }

  #watch(session: Session): void {
    if (session === this.#session) return;
    this.stop();
    this.#session = session;
    this.#ending = new AbortController();
  }

  update(server: ServerPolicy): void {
    const isSameRhythm = server.health.intervalMs === this.#server.health.intervalMs;
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
    this.#problem = undefined;
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
    const silenceLimitMs = maxHealthMisses * this.#server.health.timeoutMs;
    const silence = { sentAtMs, lastByteAtMs: session.lastByteAt, hasMissedCheck: true, silenceLimitMs };
    const nowMs = performance.now();
    const verdict = silenceVerdict(silence, nowMs);
    if (verdict.kind === 'wait') {
      this.#silenceTimer = setTimeout(() => this.#decide(session, sentAtMs, reason), verdict.forMs);
      this.#silenceTimer.unref();
      return;
    }
    this.#isSuspected = false;
    if (verdict.kind === 'frozen') this.#hooks.onFrozen(frozenError(this.#server.name, nowMs - sentAtMs, reason));
  }

  #scheduleCheck(): void {
    clearTimeout(this.#timer);
    const intervalMs = this.#server.health.intervalMs * (1 - jitter + 2 * jitter * Math.random());
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
    if (isBusy) return;
    this.#reportFailure(); // before the server may be ended for it
    this.#hooks.onChecked(false, missedChecksError(this.#server.name, reason));
  }

  /** Any valid message proves life, unless the check calls a tool that reports health. */
  #isRecentlyActive({ lastMessageAt }: Session): boolean {
    return this.#usesPing && performance.now() - lastMessageAt < freshMs;
  }

  get #usesPing(): boolean {
    const { health } = this.#server;
    return health.method === 'ping' || !this.#hooks.mayCall(health.tool);
  }

  #setVerdict({ isAlive, reason }: Outcome): void {
    const before = this.#verdict;
    this.#verdict = isAlive ? 'healthy' : 'unhealthy';
    this.#problem = isAlive ? undefined : messageOf(reason);
    this.#checkedAt = Date.now();
    if (isAlive) this.#hooks.onChecked(true, undefined);
    this.#isReported = this.#verdict !== before;
    if (this.#isReported) this.#hooks.onVerdict(this.#verdict, this.#problem);
  }

  /** A failure that changed the verdict is reported already. */
  #reportFailure(): void {
    if (!this.#isReported) this.#hooks.onVerdict(this.#verdict, this.#problem);
  }

  #requireTool({ tools, completeness }: ToolListing): void {
    const { name, health } = this.#server;
    if (health.method === 'ping' || completeness !== 'complete') return;
    const names = tools.map((tool) => tool.name);
    if (names.includes(health.tool)) return;
    const nearest = nearestName(health.tool, names);
    const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
    const message = `The health check of "${name}" calls "${health.tool}", which is not among its ${names.length} tools.${hint}`;
    throw new ManagerError('unknown-tool', message, { server: name });
  }

  async #check(session: Session): Promise<void> {
    const { health } = this.#server;
    const { timeoutMs } = health;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new MissedCheck(`no answer within ${timeoutMs} ms`)), timeoutMs);
    const ending = this.#ending.signal;
    const ignoreEnding = onAbort(ending, () => deadline.abort(ending.reason));
    const { signal } = deadline;
    try {
      if (health.method === 'ping' || this.#usesPing) return await session.checkAlive({ signal });
      const result = await session.callTool(health.tool, health.args ?? {}, { signal });
      if (result.isError) throw new Error(describeResult(health.tool, result, this.#hooks.redact));
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      ignoreEnding();
      clearTimeout(timer);
    }
  }
}

function failedStartError(server: string, cause: unknown): ManagerError {
  const message = `Server "${server}" has started, but its health check fails: ${messageOf(cause)}`;
  return new ManagerError('server-unresponsive', message, { server, cause, retryable: true });
}

/** Redacts before the cut, which may divide a secret. */
function describeResult(tool: string, { content = [] }: ToolCallResult, redact: (text: string) => string): string {
  const texts = content.flatMap((block) => (block.type === 'text' ? block.text : []));
  const text = redact(texts.join(' ').trim()).slice(0, maxQuotedLength);
  return `the tool "${tool}" returned an error${text === '' ? '' : `: ${text}`}`;
}

function missedChecksError(server: string, cause: unknown): ManagerError {
  const message = `Server "${server}" failed ${maxHealthMisses} health checks in a row: ${messageOf(cause)}`;
  return new ManagerError('server-unresponsive', message, { server, cause });
}

function frozenError(server: string, silentMs: number, cause: unknown): ManagerError {
  const seconds = Math.round(silentMs / 1_000);
  const message = `Server "${server}" answered neither its calls nor a health check for ${seconds} s`;
  return new ManagerError('server-unresponsive', message, { server, cause });
}
