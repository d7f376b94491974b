import type { BucketChange, FleetBus } from '../bus.js';
import type { LeaseRecord } from '../catalog/records.js';
import type { Replica, ReplicaChange } from '../catalog/replica.js';
import { FleetError, isFleetError } from '../errors.js';
import type { LeaseTable } from './lease-table.js';
import { type BeatContent, OwnLease } from './own-lease.js';

/** Failures that joining again cannot change. */
const FINAL: ReadonlySet<string> = new Set(['node-taken', 'superseded', 'forbidden', 'closed']);

export interface MembershipOptions {
  readonly bus: FleetBus;
  readonly node: string;
  readonly heartbeatMs: number;
  /** Kept up to date from here. */
  readonly replica: Replica;
  readonly leases: LeaseTable;
  content(): BeatContent;
  /** This node has its name, and the replica all that is in the bucket: for the first time, and after each reconnect. */
  onJoined(): void;
  /** It cannot have its name, now or any more. */
  onFailed(error: FleetError): void;
  /** Another node came, went silent or left. */
  onNode(node: string, state: 'alive' | 'unreachable' | 'left'): void;
  /** What a node tells of its servers, or who holds one that runs once, reads differently. */
  onChange(change: ReplicaChange): void;
  /** `isConfirmed` or `isCurrent` says something else, or another node's lease began or ended. */
  onLeases(): void;
}

/** This node among the others: its lease, theirs, and the copy of what all of them tell. */
export class Membership implements AsyncDisposable {
  readonly #options: MembershipOptions;
  readonly #own: OwnLease;
  readonly #lifetime = new AbortController();
  #watch: Disposable | undefined;
  /** Whether the replica has all that is in the bucket, and the bus has had a beat since it could be reached. */
  #isCurrent = false;
  #isRenewed = false;
  #isSettled = false;
  #joining: Promise<void> | undefined;
  /** Fires when the next lease may end, or sooner: a lease that is prolonged does not move it. */
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
      if (type === 'connected') this.#comeBack();
    });
    this.#join();
  }

  /** `undefined` as long as this node has no name. */
  get incarnation(): number | undefined {
    return this.#own.incarnation;
  }

  get isConfirmed(): boolean {
    return this.#own.isConfirmed;
  }

  get isCutOff(): boolean {
    return this.#own.isCutOff;
  }

  /** Whether the replica has all that is in the bucket, and is not being told it anew. */
  get isCurrent(): boolean {
    return this.#isCurrent;
  }

  /** There is no bus any more to be a member on. */
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
    if (signal.aborted || !bus.isConnected) return; // it says when it is
    try {
      this.#watch ??= await this.#startWatch(signal);
      if (this.#own.incarnation === undefined) await this.#own.take(signal);
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
        onEntry: (entry) => this.#take(entry),
        onCurrent: () => this.#becomeCurrent(),
      },
      { signal },
    );
    if (signal.aborted) watch[Symbol.dispose]();
    signal.throwIfAborted();
    return watch;
  }

  /** The bus can be reached again. Not all nodes at once say so. */
  #comeBack(): void {
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

  #take(entry: BucketChange): void {
    const change = this.#options.replica.apply(entry);
    if (change === undefined) return;
    if (change.kind === 'lease') this.#hear(change.node, change.record, entry);
    else this.#options.onChange(change);
  }

  #hear(node: string, record: LeaseRecord | undefined, { writtenAtMs }: BucketChange): void {
    const { leases, onNode, onLeases } = this.#options;
    const now = performance.now();
    if (node === this.#options.node) {
      if (record === undefined || !this.#own.seen(record)) return;
      if (leases.age(writtenAtMs, now)) this.#expire();
    } else if (record === undefined) {
      if (!leases.forget(node)) return;
      onNode(node, 'left');
      onLeases();
    } else {
      const isAnother = leases.heard(node, { record, ...(!this.#isCurrent && { writtenAtMs }) }, now);
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

  /** A process that stood still has its timers before its messages: what the others have sent meanwhile is read first. */
  async #expireDue(): Promise<void> {
    const { bus, heartbeatMs, leases } = this.#options;
    if ((leases.nextDeadlineMs() ?? Infinity) <= performance.now()) {
      const signal = AbortSignal.timeout(Math.ceil(heartbeatMs / 2));
      await bus.flush({ signal }).catch(() => undefined); // one that does not answer brings no messages
    }
    if (!this.#lifetime.signal.aborted) this.#expire();
  }

  #fail(error: FleetError): void {
    this.#end();
    void this.#own.release(AbortSignal.timeout(this.#options.heartbeatMs));
    this.#options.onFailed(error);
    // Nobody is heard of any more, and nobody can be called.
    for (const node of this.#options.leases.expire(Infinity)) this.#options.onNode(node, 'unreachable');
  }

  #end(): void {
    this.#lifetime.abort(new FleetError('closed', 'The fleet was left'));
    this.#watch?.[Symbol.dispose]();
    this.#busEvents[Symbol.dispose]();
    clearTimeout(this.#timer);
    clearTimeout(this.#retryTimer);
  }
}

/** Half fixed, half random, so that nodes which lost the bus together do not come back together. */
function jittered(ms: number): number {
  return ms / 2 + Math.random() * (ms / 2);
}
