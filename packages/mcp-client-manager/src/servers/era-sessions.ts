import { unlessAborted } from '@x/internal/async';
import { messageOf } from '@x/internal/errors';
import { isManagerError, type ManagerError } from '../errors.js';
import type { ServerPolicy } from '../resolve-spec.js';
import type { RoutedServer } from '../routing/request-router.js';
import { isRefusedForItsEra } from '../session/handshake/handshake-error.js';
import { isLastingRefusal } from '../session/http/http-refusal.js';
import type { Era, ServerTool, Session } from '../session/session.js';
import type { ServerLogEntry } from '../session/session-listeners.js';
import { backoffDelayMs } from '../supervisor/state/backoff.js';
import type { ServerState } from '../supervisor/state/server-state.js';
import type { Supervisor } from '../supervisor/supervisor.js';

const defaultIdleStopMs = 300_000;
/** The first request of an earlier client waits for it. */
const maxStartMs = 10_000;
const logLevelTimeoutMs = 10_000;

const over: ReadonlySet<ServerState['phase']> = new Set(['idle', 'failed', 'parked', 'auth-required', 'disabled']);

interface EraSessionsOptions {
  readonly supervisor: Supervisor;
  /** Creates a supervisor without starting it. `onPhase` receives its phases. */
  readonly open: (server: ServerPolicy, onPhase: (phase: ServerState['phase']) => void) => Supervisor;
  readonly onLog: (entry: ServerLogEntry) => void;
}

/**
 * The sessions of one connection. A server by URL of both eras has a second session for clients of the earlier era,
 * opened for their first request. It ends when it is unused, and with the first session.
 */
export class EraSessions implements RoutedServer {
  readonly #options: EraSessionsOptions;
  readonly #supervisor: Supervisor;
  readonly #bySession = new WeakMap<Session, Supervisor>();
  readonly #ending = new Set<Promise<void>>();
  #legacy: Supervisor | undefined;
  #opening: Promise<Session | undefined> | undefined;
  /** First session of a server that turned out to have no use for a second. */
  #single: WeakRef<Session> | undefined;
  #failures = 0;
  /** Until then, earlier clients use the first session. */
  #retryAtMs = 0;
  #legacyCalls = 0;
  #logLevel: ServerLogEntry['level'] | undefined;

  constructor(options: EraSessionsOptions) {
    this.#options = options;
    this.#supervisor = options.supervisor;
  }

  get server(): ServerPolicy {
    return this.#supervisor.server;
  }

  get tools(): readonly ServerTool[] {
    return this.#supervisor.tools;
  }

  get readySession(): Session | undefined {
    return this.#supervisor.readySession;
  }

  get whyNotReady(): string | undefined {
    return this.#supervisor.whyNotReady;
  }

  stderrTail(): readonly string[] {
    return this.#supervisor.stderrTail();
  }

  /** Sent requests of the second session. */
  get legacyCalls(): number {
    return this.#legacy?.readySession?.callsInFlight ?? 0;
  }

  /** Era in which requests of a client of `era` are sent; `undefined` without a connection. */
  eraFor(era: Era): Era | undefined {
    return era === 'legacy' && this.#legacy?.readySession ? 'legacy' : this.#supervisor.sessionFacts?.era;
  }

  readySessionFor(era: Era | undefined): Session | undefined {
    const session = this.#supervisor.readySession;
    return session && this.#mayHaveBoth(era, session) ? this.#readyLegacy() : session;
  }

  async acquireSessionFor(era: Era | undefined, { signal }: { readonly signal: AbortSignal }): Promise<Session> {
    const session = await this.#supervisor.acquireSession({ signal });
    if (!this.#mayHaveBoth(era, session)) return session;
    return this.#readyLegacy() ?? (await unlessAborted(this.#openOnce(session), signal)) ?? session;
  }

  lossOf(session: Session): Promise<ManagerError> {
    return this.#supervisorOf(session).lossOf(session);
  }

  unanswered(session: Session, sentAtMs: number): void {
    this.#supervisorOf(session).unanswered(session, sentAtMs);
  }

  callBegan(era: Era | undefined): void {
    this.#supervisor.callBegan();
    if (era !== 'legacy') return;
    this.#legacyCalls += 1;
    this.#legacy?.callBegan();
  }

  callEnded(era: Era | undefined): void {
    this.#supervisor.callEnded();
    if (era !== 'legacy') return;
    this.#legacyCalls -= 1;
    this.#legacy?.callEnded();
  }

  ready(): readonly Session[] {
    return [this.#supervisor.readySession, this.#legacy?.readySession].filter((session) => session !== undefined);
  }

  /** For the second session, now and later. */
  setLogLevel(level: ServerLogEntry['level']): void {
    this.#logLevel = level;
    this.#sendLogLevel();
  }

  /** Call it when the first supervisor enters a phase. */
  entered(phase: ServerState['phase']): void {
    if (over.has(phase) || phase === 'closed') void this.endLegacy('finish').catch(() => undefined);
  }

  /** Ends the second session. A later request of an earlier client opens another one. */
  async endLegacy(calls: 'end' | 'finish'): Promise<void> {
    const legacy = this.#legacy;
    this.#legacy = undefined;
    this.#failures = 0;
    this.#retryAtMs = 0;
    if (legacy) {
      const ending = legacy.close({ reason: 'manager-closed', calls }).finally(() => this.#ending.delete(ending));
      this.#ending.add(ending);
    }
    await Promise.all(this.#ending);
  }

  #mayHaveBoth(era: Era | undefined, session: Session): boolean {
    const { protocol, target } = this.#supervisor.server;
    if (era !== 'legacy' || protocol !== 'auto' || target.type !== 'http') return false;
    return session.facts.era === 'modern' && session !== this.#single?.deref() && performance.now() >= this.#retryAtMs;
  }

  #readyLegacy(): Session | undefined {
    const session = this.#legacy?.readySession;
    if (session && this.#legacy) this.#bySession.set(session, this.#legacy);
    return session;
  }

  #openOnce(first: Session): Promise<Session | undefined> {
    this.#opening ??= this.#open(first).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** `undefined`: the first session does for now, or for as long as it lasts. */
  async #open(first: Session): Promise<Session | undefined> {
    try {
      this.#legacy ??= this.#create();
      const session = await this.#legacy.start();
      this.#failures = 0;
      if (!session.isStateless) return this.#readyLegacy();
    } catch (error) {
      if (isEnded(error)) return undefined;
      if (!refusesEra(error)) return this.#failed(error);
    }
    this.#single = new WeakRef(first);
    void this.endLegacy('finish').catch(() => undefined);
    return undefined;
  }

  #failed(error: unknown): undefined {
    const failures = this.#failures + 1;
    void this.endLegacy('finish').catch(() => undefined);
    this.#failures = failures;
    this.#retryAtMs = performance.now() + backoffDelayMs(failures, Math.random());
    const data = `The second session, for clients of earlier revisions, did not open: ${messageOf(error)}`;
    this.#options.onLog({ level: 'warning', data });
  }

  #create(): Supervisor {
    const legacy: Supervisor = this.#options.open(legacyOf(this.#supervisor.server), (phase) => {
      if (legacy !== this.#legacy) return;
      if (phase === 'ready') this.#sendLogLevel();
      else this.entered(phase);
    });
    for (let call = 0; call < this.#legacyCalls; call += 1) legacy.callBegan();
    return legacy;
  }

  #sendLogLevel(): void {
    const signal = AbortSignal.timeout(logLevelTimeoutMs);
    const level = this.#logLevel;
    if (level) this.#legacy?.readySession?.request('logging/setLevel', { level }, { signal }).catch(() => undefined);
  }

  #supervisorOf(session: Session): Supervisor {
    return this.#bySession.get(session) ?? this.#supervisor;
  }
}

function legacyOf(server: ServerPolicy): ServerPolicy {
  const { idleStopMs = defaultIdleStopMs, startupTimeoutMs } = server.limits;
  const limits = { ...server.limits, idleStopMs, startupTimeoutMs: Math.min(startupTimeoutMs, maxStartMs) };
  return { ...server, protocol: 'legacy', limits, autoStart: true, eager: false };
}

/** Nothing failed: the session ended while it opened. */
function isEnded(error: unknown): boolean {
  return isManagerError(error) && (error.code === 'closed' || error.code === 'server-stopping');
}

function refusesEra(error: unknown): boolean {
  if (!isManagerError(error) || !isManagerError(error.cause)) return false;
  const { code, cause } = error.cause;
  return (
    code === 'unsupported-protocol' ||
    (code === 'handshake-refused' && (isRefusedForItsEra(cause) || isLastingRefusal(cause)))
  );
}
