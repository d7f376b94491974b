import { ManagerError } from '../errors.js';
import type { Session } from '../session/session.js';
import { isUnavailableError } from '../session/unavailable.js';
import { type BreakerInput, closedBreaker, nextBreaker, refusedForMs } from './circuit-breaker.js';
import { circuitOpen, queueFull, type RequestName } from './request-failures.js';
import { Turns } from './turns.js';

/** What takes a turn at a server: a call of a tool, or any other request. */
export interface TurnTaker {
  /** Longest wait for its turn, in milliseconds. `undefined`: as long as the server's spec says. */
  readonly queueTimeoutMs: number | undefined;
  /** For whom it is, as far as turns are shared, compared with `===`; `undefined`: for nobody in particular. */
  readonly client: unknown;
  /** It is its turn. */
  start(): void;
  /** Its turn did not come in time. `leave` is to follow. */
  endInQueue(waitedMs: number): void;
  /** Its place in the queue goes to a client that has fewer. `leave` is to follow. */
  displace(): void;
  /** The server is being stopped: what it does not have yet is not sent. */
  refuse(): void;
}

/** What the gate needs of whoever keeps the server. */
export interface GatedServer {
  /** The spec that the server is kept to now. */
  readonly server: {
    readonly name: string;
    readonly maxConcurrentCalls: number;
    readonly maxQueuedCalls: number;
    readonly queueTimeoutMs: number;
  };
  /** The session of a server that takes calls right now. */
  readonly readySession: Session | undefined;
  /** A call has come in; `callEnded` follows once. The server is in use meanwhile. */
  callBegan(): void;
  callEnded(): void;
  /** A request that was sent at `sentAtMs` reached its limit without a byte since, and no older one is under way. */
  unanswered(session: Session, sentAtMs: number): void;
}

/** A shorter silence says nothing of the connection, in milliseconds. */
const minSilenceMs = 1_000;

/** Lets what is to be sent to one server in, so much at a time, and nothing for a while when its connection keeps failing. */
export class Gate {
  readonly #supervisor: GatedServer;
  readonly #turns: Turns<TurnTaker>;
  /** Of those that wait for their turn. */
  readonly #queueTimers = new Map<TurnTaker, NodeJS.Timeout>();
  /** Of those that want their turn again. */
  readonly #returning = new Map<TurnTaker, () => void>();
  #breaker = closedBreaker;
  /** The one that finds out whether the connection works again. */
  #probe: TurnTaker | undefined;
  /** The connection that failed last. All calls in it fail with it, which counts once. */
  #failed: WeakRef<Session> | undefined;
  /** When a request was last given up because of silence; `undefined` when the last failure was another one. */
  #silentAtMs: number | undefined;
  /** What was sent and is not settled, in the order in which it was sent. */
  readonly #sent = new Map<TurnTaker, Session>();

  constructor(supervisor: GatedServer) {
    this.#supervisor = supervisor;
    this.#turns = new Turns({
      limits: () => {
        const { maxConcurrentCalls, maxQueuedCalls } = supervisor.server;
        return { maxConcurrent: maxConcurrentCalls, maxQueued: maxQueuedCalls };
      },
      clientOf: ({ client }) => client,
    });
  }

  /** Whether there may be a `refusal`; without it there is none. */
  get mayRefuse(): boolean {
    return this.#breaker.phase !== 'closed' || this.#turns.isFull;
  }

  /**
   * Why one more is not let in; nothing was sent then.
   * @param client - For whom it is.
   */
  refusal({ tool, method }: Omit<RequestName, 'server'>, client: unknown): ManagerError | undefined {
    const request = { server: this.#supervisor.server.name, tool, method };
    const retryAfterMs = this.#refusedForMs();
    if (retryAfterMs > 0) return circuitOpen(request, retryAfterMs);
    const { active, waiting } = this.#turns;
    return this.#turns.isFullFor(client) ? queueFull(request, { inFlight: active, queued: waiting }) : undefined;
  }

  /** Lets one in that is not refused; it is started when it is its turn. `leave` must follow once. */
  enter(taker: TurnTaker): void {
    this.#supervisor.callBegan();
    if (this.#breaker.phase === 'open') this.#note({ type: 'admitted' });
    if (this.#breaker.phase === 'probing') this.#probe ??= taker;
    this.#turns.displacedBy(taker.client)?.displace();
    if (this.#turns.enter(taker)) {
      taker.start();
      return;
    }
    const queueTimeoutMs = taker.queueTimeoutMs ?? this.#supervisor.server.queueTimeoutMs;
    this.#queueTimers.set(taker, setTimeout(endInQueue, queueTimeoutMs, taker, queueTimeoutMs));
    this.giveTurns();
  }

  leave(taker: TurnTaker): void {
    if (taker === this.#probe) {
      this.#probe = undefined;
      if (this.#breaker.phase === 'probing') this.#note({ type: 'gave-up', atMs: performance.now() });
    }
    this.#supervisor.callEnded();
    this.#sent.delete(taker);
    this.#turns.leave(taker);
    this.#stopWaiting(taker);
    this.#return(taker);
    this.giveTurns();
  }

  /** Gives a turn back for a while: that of a call which waits for its host, and not for the server. `resume` is to follow. */
  pause(taker: TurnTaker): void {
    this.#sent.delete(taker); // the server waits for the host, not the other way round
    this.#turns.pause(taker);
    this.#return(taker);
    this.giveTurns();
  }

  /** @returns Resolves when it has its turn again, before all who have had none, or has left; `undefined`: at once. */
  resume(taker: TurnTaker): Promise<void> | undefined {
    if (this.#turns.resume(taker)) return undefined;
    return new Promise((resolve) => {
      this.#returning.set(taker, resolve);
    });
  }

  /** To be called when there may be more turns than before. */
  giveTurns(): void {
    for (let next = this.#turns.next(); next; next = this.#turns.next()) {
      if (this.#return(next)) continue;
      this.#stopWaiting(next);
      next.start();
    }
  }

  /** Refuses all that the server does not have yet. To be called before it is stopped for good. */
  refuseUnsent(): void {
    for (const taker of this.#turns.items().toReversed()) taker.refuse(); // the last first: none gets a turn by that
  }

  /** The request is handed to the session. To be called again when it moves on to another. */
  sentTo(session: Session, taker: TurnTaker): void {
    this.#sent.delete(taker);
    this.#sent.set(taker, session);
  }

  /**
   * A request that was sent at `sentAtMs` reached its limit. Without a byte since then that is a failure of the connection;
   * and unless the server has an older request, which it may still work on, it may be frozen. `leave` is to follow.
   */
  timedOut(taker: TurnTaker, session: Session, sentAtMs: number): void {
    if (session.lastByteAt >= sentAtMs) return;
    const nowMs = performance.now();
    if (nowMs - sentAtMs >= minSilenceMs) {
      this.#failure(session);
      this.#silentAtMs = nowMs;
    }
    if (this.#oldestOf(session) === taker) this.#supervisor.unanswered(session, sentAtMs);
  }

  /** The server has answered. */
  answered(): void {
    if (this.#breaker !== closedBreaker) this.#note({ type: 'answered' });
  }

  /** The connection failed under a request. */
  lost(session: Session): void {
    if (!session.isOpen && session === this.#failed?.deref()) return;
    this.#failure(session);
  }

  /** What a request failed with while the connection held: mostly that is an answer, too. */
  failed(session: Session, error: unknown): void {
    if (!(error instanceof ManagerError) || error.code === 'unsupported') return; // nobody was asked
    if (error.code === 'busy' || isUnavailableError(error)) this.#failure(session, error.retryAfterMs);
    else this.answered();
  }

  /** @returns Whether it was waiting to have its turn again. */
  #return(taker: TurnTaker): boolean {
    if (this.#returning.size === 0) return false;
    this.#returning.get(taker)?.();
    return this.#returning.delete(taker);
  }

  #stopWaiting(taker: TurnTaker): void {
    if (this.#queueTimers.size === 0) return;
    clearTimeout(this.#queueTimers.get(taker));
    this.#queueTimers.delete(taker);
  }

  #failure(session: Session, retryAfterMs?: number): void {
    this.#failed = new WeakRef(session);
    this.#silentAtMs = undefined;
    this.#note({ type: 'failed', atMs: performance.now(), retryAfterMs });
  }

  #oldestOf(session: Session): TurnTaker | undefined {
    for (const [taker, its] of this.#sent) if (its === session) return taker;
    return undefined;
  }

  #refusedForMs(): number {
    if (this.#breaker.phase === 'closed') return 0;
    const session = this.#supervisor.readySession;
    const mayTry = this.#breaker.phase === 'open' && session !== undefined && this.#isWorthATry(session);
    return mayTry ? 0 : refusedForMs(this.#breaker, performance.now());
  }

  /** A new connection is, whatever became of the one before; and one that was silent and has been heard since. */
  #isWorthATry(session: Session): boolean {
    if (session !== this.#failed?.deref()) return true;
    return this.#silentAtMs !== undefined && session.lastByteAt > this.#silentAtMs;
  }

  #note(input: BreakerInput): void {
    this.#breaker = nextBreaker(this.#breaker, input);
  }
}

// A function of its own, so that the wait needs no closure.
function endInQueue(taker: TurnTaker, waitedMs: number): void {
  taker.endInQueue(waitedMs);
}
