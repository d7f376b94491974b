import type { BucketChange, FleetBus } from '../bus.js';
import type { LeaseRecord } from '../catalog/records.js';
import type { Replica, ReplicaChange } from '../catalog/replica.js';
import { FleetError, isFleetError } from '../errors.js';
import type { LeaseTable } from './lease-table.js';
import { type HeartbeatContent, OwnLease } from './own-lease.js';

/** Failures for which joining is not retried. */
const FINAL: ReadonlySet<string> = new Set(['node-taken', 'superseded', 'forbidden', 'closed']);

interface MembershipOptions {
  readonly bus: FleetBus;
  readonly node: string;
  readonly heartbeatMs: number;
  readonly replica: Replica;
  readonly leases: LeaseTable;
  content(): HeartbeatContent;
  /** This node holds its name and the replica is complete: after joining and each reconnect. */
  onJoined(): void;
  onFailed(error: FleetError): void;
  onNode(node: string, state: 'alive' | 'unreachable' | 'left'): void;
  onChange(change: ReplicaChange): void;
  /** `isConfirmed` or `isCurrent` changed, or a lease of another node began or ended. */
  onLeases(): void;
}

/** Membership of this node: its own lease, the leases of the others, and the replica of the bucket. */
export class Membership implements AsyncDisposable {
  readonly #options: MembershipOptions;
  readonly #own: OwnLease;
  readonly #lifetime = new AbortController();
  #watch: Disposable | undefined;
  #isCurrent = false;
  #isRenewed = false;
  #isSettled = false;
  #joining: Promise<void> | undefined;
  /** Fires no later than the earliest end of a lease; renewals do not move it. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #expiresAtMs = Infinity;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #busEvents: Disposable;

  constructor(options: MembershipOptions) {
    this.#options = options;
    const { bus, node, heartbeatMs, content, onLeases } = options;
    this.#own = new OwnLease({
      bus,
      node,
      heartbeatMs,
      content,
      onConfirmation: onLeases,
      onSuperseded: (error) => this.#fail(error),
    });
    this.#busEvents = bus.onEvent(({ type }) => {
      if (type === 'connected') this.#rejoin();
    });
    this.#join();
  }

  get incarnation(): number | undefined {
    return this.#own.incarnation;
  }

  get isConfirmed(): boolean {
    return this.#own.isConfirmed;
  }

  get isCutOff(): boolean {
    return this.#own.isCutOff;
  }

  /** True while the replica is complete: not while a watch starts over. */
  get isCurrent(): boolean {
    return this.#isCurrent;
  }

  fail(error: FleetError): void {
    this.#fail(error);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end();
    await this.#joining;
    await this.#own.release(AbortSignal.timeout(this.#options.heartbeatMs));
  }

  #join(): void {
    this.#joining ??= this.#tryToJoin().finally(() => {
      this.#joining = undefined;
    });
  }

  async #tryToJoin(): Promise<void> {
    const { signal } = this.#lifetime;
    const { bus, heartbeatMs } = this.#options;
    if (signal.aborted || !bus.isConnected) return; // the `connected` event resumes
    try {
      this.#watch ??= await this.#startWatch(signal);
      if (this.#own.incarnation === undefined) await this.#own.acquire(signal);
      this.#isRenewed = true;
      this.#settle();
    } catch (error) {
      if (signal.aborted) return;
      if (isFleetError(error) && FINAL.has(error.code)) this.#fail(error);
      else this.#retryTimer = setTimeout(() => this.#join(), jittered(heartbeatMs));
    }
  }

  async #startWatch(signal: AbortSignal): Promise<Disposable> {
    const watch = await this.#options.bus.bucket.watch(
      {
        onStart: () => this.#startReplay(),
        onEntry: (entry) => this.#apply(entry),
        onCurrent: () => this.#becomeCurrent(),
      },
      { signal },
    );
    if (signal.aborted) watch[Symbol.dispose]();
    signal.throwIfAborted();
    return watch;
  }

  /** Renews the membership after a reconnect, with a random delay per node. */
  #rejoin(): void {
    clearTimeout(this.#retryTimer);
    if (this.#own.incarnation === undefined) {
      this.#join();
      return;
    }
    this.#isSettled = false;
    this.#isRenewed = false;
    this.#retryTimer = setTimeout(() => void this.#renewAll(), jittered(this.#options.heartbeatMs));
  }

  async #renewAll(): Promise<void> {
    await this.#own.renew();
    this.#isRenewed = true;
    this.#settle();
  }

  #startReplay(): void {
    this.#isCurrent = false;
    this.#isSettled = false;
    this.#options.replica.start();
  }

  #apply(entry: BucketChange): void {
    const change = this.#options.replica.apply(entry);
    if (change === undefined) return;
    if (change.kind === 'lease') this.#applyLease(change.node, change.record, entry);
    else this.#options.onChange(change);
  }

  #applyLease(node: string, record: LeaseRecord | undefined, { writtenAtMs }: BucketChange): void {
    const { leases, onNode, onLeases } = this.#options;
    const now = performance.now();
    if (node === this.#options.node) {
      if (record === undefined || !this.#own.onReported(record)) return;
      if (leases.age(writtenAtMs, now)) this.#expire();
    } else if (record === undefined) {
      if (!leases.forget(node)) return;
      onNode(node, 'left');
      onLeases();
    } else {
      const isAnother = leases.recordHeartbeat(node, { record, ...(!this.#isCurrent && { writtenAtMs }) }, now);
      this.#expireBy(leases.get(node)?.deadlineMs);
      if (!isAnother) return;
      onNode(node, 'alive');
      onLeases();
    }
  }

  #becomeCurrent(): void {
    this.#isCurrent = true;
    for (const change of this.#options.replica.current()) {
      if (change.kind !== 'lease') this.#options.onChange(change);
      else if (this.#options.leases.forget(change.node)) this.#options.onNode(change.node, 'left');
    }
    this.#settle();
    this.#options.onLeases();
  }

  #settle(): void {
    if (this.#own.incarnation === undefined || !this.#isCurrent || !this.#isRenewed || this.#isSettled) return;
    this.#isSettled = true;
    this.#options.onJoined();
  }

  #expire(): void {
    const { leases, onNode, onLeases } = this.#options;
    const lost = leases.expire(performance.now());
    for (const node of lost) onNode(node, 'unreachable');
    if (lost.length > 0) onLeases();
    clearTimeout(this.#timer);
    this.#expiresAtMs = Infinity;
    this.#expireBy(leases.nextDeadlineMs());
  }

  #expireBy(deadlineMs = Infinity): void {
    if (deadlineMs >= this.#expiresAtMs || this.#lifetime.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#expiresAtMs = deadlineMs;
    this.#timer = setTimeout(() => void this.#expireDue(), Math.max(1, deadlineMs - performance.now()));
  }

  /** After a stall, timers run before messages: read pending heartbeats before leases expire. */
  async #expireDue(): Promise<void> {
    const { bus, heartbeatMs, leases } = this.#options;
    if ((leases.nextDeadlineMs() ?? Infinity) <= performance.now()) {
      const signal = AbortSignal.timeout(Math.ceil(heartbeatMs / 2));
      await bus.flush({ signal }).catch(() => undefined); // a silent bus has no pending messages
    }
    if (!this.#lifetime.signal.aborted) this.#expire();
  }

  #fail(error: FleetError): void {
    this.#end();
    void this.#own.release(AbortSignal.timeout(this.#options.heartbeatMs));
    this.#options.onFailed(error);
    // Without a membership, no other node is reachable.
    for (const node of this.#options.leases.expire(Infinity)) this.#options.onNode(node, 'unreachable');
  }

  #end(): void {
    this.#lifetime.abort(new FleetError('closed', 'This node has left the fleet'));
    this.#watch?.[Symbol.dispose]();
    this.#busEvents[Symbol.dispose]();
    clearTimeout(this.#timer);
    clearTimeout(this.#retryTimer);
  }
}

/** Half fixed, half random, so that nodes do not reconnect all at once. */
function jittered(ms: number): number {
  return ms / 2 + Math.random() * (ms / 2);
}
