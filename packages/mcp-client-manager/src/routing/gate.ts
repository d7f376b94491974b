import type { LimitFields } from '@x/internal/server-fields';
import { ManagerError } from '../errors.js';
import { isUnavailableError } from '../session/peer/request-error.js';
import type { Era, Session } from '../session/session.js';
import { type BreakerInput, closedBreaker, nextBreaker, refusedForMs } from './circuit-breaker.js';
import { FairQueue } from './fair-queue.js';
import { circuitOpen, queueFull, type RequestName } from './request-failures.js';

export interface GateEntry {
  readonly queueTimeoutMs: number | undefined;
  readonly client: unknown;
  /** Era of the client, if the request depends on it. */
  readonly era: Era | undefined;
  start(): void;
  /** Must lead to `release`, since the queue timeout is over. */
  endInQueue(waitedMs: number): void;
  /** The place goes to a caller with fewer places. Must lead to `release`. */
  displace(): void;
  /** The server stops: an unsent request is dropped. */
  refuse(): void;
}

export interface GatedServer {
  readonly server: {
    readonly name: string;
    readonly limits: Pick<LimitFields, 'maxConcurrentCalls' | 'maxQueuedCalls' | 'queueTimeoutMs'>;
  };
  readonly readySession: Session | undefined;
  callBegan(era: Era | undefined): void;
  callEnded(era: Era | undefined): void;
  /** A request timed out without any byte from the server, and no older one is in progress. */
  unanswered(session: Session, sentAtMs: number): void;
}

/** Shortest silence that counts as a failure of the connection. */
const minSilenceMs = 1_000;

/** Admits requests to one server, within its limits and unless its connection keeps failing. */
export class Gate {
  readonly #supervisor: GatedServer;
  readonly #queue: FairQueue<GateEntry>;
  readonly #queueTimers = new Map<GateEntry, NodeJS.Timeout>();
  readonly #returning = new Map<GateEntry, () => void>();
  #breaker = closedBreaker;
  #probe: GateEntry | undefined;
  /** All requests on a failed connection fail with it, which counts once. */
  #failed: WeakRef<Session> | undefined;
  /** Time of the last failure, if it was a silent timeout. */
  #silentAtMs: number | undefined;
  readonly #sent = new Map<GateEntry, Session>();

  constructor(supervisor: GatedServer) {
    this.#supervisor = supervisor;
    this.#queue = new FairQueue({
      limits: () => {
        const { maxConcurrentCalls, maxQueuedCalls } = supervisor.server.limits;
        return { maxConcurrent: maxConcurrentCalls, maxQueued: maxQueuedCalls };
      },
      clientOf: ({ client }) => client,
    });
  }

  get mayRefuse(): boolean {
    return this.#breaker.phase !== 'closed' || this.#queue.isFull;
  }

  /**
   * Error for a request that cannot be admitted.
   *
   * @param client - Key of the caller.
   */
  refusal({ tool, method }: Omit<RequestName, 'server'>, client: unknown): ManagerError | undefined {
    const request = { server: this.#supervisor.server.name, tool, method };
    const retryAfterMs = this.#refusedForMs();
    if (retryAfterMs > 0) return circuitOpen(request, retryAfterMs);
    const { active, waiting } = this.#queue;
    return this.#queue.isFullFor(client) ? queueFull(request, { inFlight: active, queued: waiting }) : undefined;
  }

  /** Admits or queues a request. Needs one `release`. */
  admit(entry: GateEntry): void {
    this.#supervisor.callBegan(entry.era);
    if (this.#breaker.phase === 'open') this.#record({ type: 'admitted' });
    if (this.#breaker.phase === 'probing') this.#probe ??= entry;
    this.#queue.displacedBy(entry.client)?.displace();
    if (this.#queue.add(entry)) {
      entry.start();
      return;
    }
    const queueTimeoutMs = entry.queueTimeoutMs ?? this.#supervisor.server.limits.queueTimeoutMs;
    this.#queueTimers.set(entry, setTimeout(endInQueue, queueTimeoutMs, entry, queueTimeoutMs));
    this.grantTurns();
  }

  release(entry: GateEntry): void {
    if (entry === this.#probe) {
      this.#probe = undefined;
      if (this.#breaker.phase === 'probing') this.#record({ type: 'gave-up', atMs: performance.now() });
    }
    this.#supervisor.callEnded(entry.era);
    this.#sent.delete(entry);
    this.#queue.remove(entry);
    this.#dequeue(entry);
    this.#resumeIfPaused(entry);
    this.grantTurns();
  }

  /** The request waits for its client handler. Needs one `resume`. */
  pause(entry: GateEntry): void {
    this.#sent.delete(entry);
    this.#queue.pause(entry);
    this.#resumeIfPaused(entry);
    this.grantTurns();
  }

  /** @returns Resolves when the request has a turn again, or has left; `undefined`: at once. */
  resume(entry: GateEntry): Promise<void> | undefined {
    if (this.#queue.resume(entry)) return undefined;
    return new Promise((resolve) => {
      this.#returning.set(entry, resolve);
    });
  }

  /** Admits queued requests. Call it when the limits grow. */
  grantTurns(): void {
    for (let next = this.#queue.next(); next; next = this.#queue.next()) {
      if (this.#resumeIfPaused(next)) continue;
      this.#dequeue(next);
      next.start();
    }
  }

  refuseUnsent(): void {
    for (const entry of this.#queue.items().toReversed()) entry.refuse(); // the last first, so that none is admitted meanwhile
  }

  /** Records the session that has the request. Must be called again for each further one. */
  sentTo(session: Session, entry: GateEntry): void {
    this.#sent.delete(entry);
    this.#sent.set(entry, session);
  }

  /**
   * Without any byte since `sentAtMs`, the connection has failed; without an older request, the server may be frozen.
   * Must lead to `release`.
   */
  timedOut(entry: GateEntry, session: Session, sentAtMs: number): void {
    if (session.lastByteAt >= sentAtMs) return;
    const nowMs = performance.now();
    if (nowMs - sentAtMs >= minSilenceMs) {
      this.#failure(session);
      this.#silentAtMs = nowMs;
    }
    if (this.#oldestOf(session) === entry) this.#supervisor.unanswered(session, sentAtMs);
  }

  answered(): void {
    if (this.#breaker !== closedBreaker) this.#record({ type: 'answered' });
  }

  lost(session: Session): void {
    if (!session.isOpen && session === this.#failed?.deref()) return;
    this.#failure(session);
  }

  /** Most errors on an open connection are responses, too. */
  failed(session: Session, error: unknown): void {
    if (!(error instanceof ManagerError) || error.code === 'unsupported') return;
    if (error.code === 'busy' || isUnavailableError(error)) this.#failure(session, error.retryAfterMs);
    else this.answered();
  }

  #resumeIfPaused(entry: GateEntry): boolean {
    if (this.#returning.size === 0) return false;
    this.#returning.get(entry)?.();
    return this.#returning.delete(entry);
  }

  #dequeue(entry: GateEntry): void {
    if (this.#queueTimers.size === 0) return;
    clearTimeout(this.#queueTimers.get(entry));
    this.#queueTimers.delete(entry);
  }

  #failure(session: Session, retryAfterMs?: number): void {
    this.#failed = new WeakRef(session);
    this.#silentAtMs = undefined;
    this.#record({ type: 'failed', atMs: performance.now(), retryAfterMs });
  }

  #oldestOf(session: Session): GateEntry | undefined {
    for (const [entry, its] of this.#sent) if (its === session) return entry;
    return undefined;
  }

  #refusedForMs(): number {
    if (this.#breaker.phase === 'closed') return 0;
    const session = this.#supervisor.readySession;
    const mayTry = this.#breaker.phase === 'open' && session !== undefined && this.#mayProbe(session);
    return mayTry ? 0 : refusedForMs(this.#breaker, performance.now());
  }

  /** True for a new connection, and for a silent one that has delivered bytes since. */
  #mayProbe(session: Session): boolean {
    if (session !== this.#failed?.deref()) return true;
    return this.#silentAtMs !== undefined && session.lastByteAt > this.#silentAtMs;
  }

  #record(input: BreakerInput): void {
    this.#breaker = nextBreaker(this.#breaker, input);
  }
}

function endInQueue(entry: GateEntry, waitedMs: number): void {
  entry.endInQueue(waitedMs);
}
