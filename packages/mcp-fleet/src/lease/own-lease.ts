import type { FleetBus } from '../bus.js';
import { decodeRecord, encodeRecord, type LeaseRecord, leaseKey } from '../catalog/records.js';
import { FleetError, isFleetError } from '../errors.js';
import { nodeClockMs } from '../principal/principals.js';
import { LEASE_HEARTBEATS, leaseMs } from './lease-table.js';
import { isAnotherAlive, replyToProbes } from './name-probe.js';

/** Unconfirmed heartbeats after which this node counts as cut off, before others count it as gone. */
const CUT_OFF_HEARTBEATS = LEASE_HEARTBEATS - 1;

export type HeartbeatContent = Pick<LeaseRecord, 'publicKey' | 'load'>;

interface OwnLeaseOptions {
  readonly bus: FleetBus;
  readonly node: string;
  readonly heartbeatMs: number;
  content(): HeartbeatContent;
  onConfirmation(): void;
  onSuperseded(error: FleetError): void;
}

type Phase = 'idle' | 'held' | 'over';

/**
 * This node's claim to its name: one key, rewritten with each heartbeat on top of the previous revision. A write of a
 * clone causes a conflict, so two processes cannot share a name.
 *
 * A heartbeat is confirmed when the watch reports it. All earlier writes of other nodes are known by then, because
 * changes arrive in order.
 */
export class OwnLease {
  readonly session = crypto.randomUUID();
  readonly #options: OwnLeaseOptions;
  /** Send times of unconfirmed heartbeats, on the monotonic clock. */
  readonly #sent = new Map<number, number>();
  #phase: Phase = 'idle';
  #isConfirmed = false;
  #wasConfirmed = false;
  /** End of the confirmed period or of the wait for the first confirmation, on the monotonic clock. */
  #confirmedUntilMs = 0;
  #incarnation = 0;
  #revision = 0;
  #heartbeat = 0;
  #probeReplies: Disposable | undefined;
  #renewing: Promise<void> | undefined;
  #writing: AbortController | undefined;
  #renewTimer: ReturnType<typeof setTimeout> | undefined;
  #cutOffTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: OwnLeaseOptions) {
    this.#options = options;
  }

  get incarnation(): number | undefined {
    return this.#phase === 'held' ? this.#incarnation : undefined;
  }

  /** True if a heartbeat of the last two intervals was confirmed, so that no other node counts this one as gone. */
  get isConfirmed(): boolean {
    // Also checks the time: after a stall, messages arrive before the timer fires.
    return this.#isConfirmed && performance.now() < this.#confirmedUntilMs;
  }

  /**
   * Claims the name. Waits one lease for a holder that neither responds nor renews.
   *
   * @throws {FleetError} `node-taken`, `bus-down`, `forbidden`; or the signal's reason.
   */
  async acquire(signal: AbortSignal): Promise<void> {
    const { bus, node, heartbeatMs } = this.#options;
    const before = await this.#read(signal);
    const held = before?.record;
    // An earlier attempt of this process may have been written without a confirmation.
    const isOurs = held?.session === this.session;
    if (held !== undefined && !isOurs && (await isAnotherAlive(bus, { node, waitMs: leaseMs(held), signal }))) {
      throw this.#nameTaken(held);
    }
    this.#incarnation = Math.max((held?.incarnation ?? 0) + 1, Date.now());
    // Starts before the write, so that every process that sees the lease gets a reply to its probe.
    const probeReplies = replyToProbes(bus, node);
    try {
      const revision = before?.revision ?? 0;
      this.#revision = await bus.bucket.put(leaseKey(node), this.#nextHeartbeat(), { revision, signal });
    } catch (error) {
      probeReplies[Symbol.dispose]();
      if (!isFleetError(error) || error.code !== 'conflict') throw error;
      const writer = (await this.#read(signal))?.record ?? held;
      // The write of an abandoned attempt may arrive during the next one.
      if (writer?.session === this.session) return this.acquire(signal);
      throw this.#nameTaken(writer, error);
    }
    this.#phase = 'held';
    this.#probeReplies = probeReplies;
    this.#confirmedUntilMs = Math.max(this.#confirmedUntilMs, performance.now() + CUT_OFF_HEARTBEATS * heartbeatMs);
    this.#schedule();
  }

  onReported(record: LeaseRecord): boolean {
    if (record.session !== this.session) {
      void this.renew(); // reveals a second process with the same name at once
      return false;
    }
    const sentAtMs = this.#sent.get(record.beat);
    if (sentAtMs === undefined || this.#phase === 'over') return true;
    for (const beat of this.#sent.keys()) if (beat <= record.beat) this.#sent.delete(beat);
    const untilMs = sentAtMs + CUT_OFF_HEARTBEATS * this.#options.heartbeatMs;
    const remainingMs = untilMs - performance.now();
    // Old writes that the watch reports after an outage prove nothing: others may have taken over since.
    if (remainingMs <= 0) return true;
    clearTimeout(this.#cutOffTimer);
    // If the period ended before its timer fired, later decisions must be revised.
    this.#isConfirmed = this.isConfirmed;
    this.#confirmedUntilMs = untilMs;
    this.#cutOffTimer = setTimeout(() => this.#confirm(false), remainingMs);
    this.#confirm(true);
    return true;
  }

  get isCutOff(): boolean {
    if (this.#phase !== 'held' || this.isConfirmed) return false;
    return this.#wasConfirmed || performance.now() >= this.#confirmedUntilMs;
  }

  async renew(): Promise<void> {
    if (this.#phase !== 'held') return;
    clearTimeout(this.#renewTimer);
    const begunAtMs = performance.now();
    this.#renewing ??= this.#write().finally(() => {
      this.#renewing = undefined;
      // A heartbeat that took a whole interval is followed by the next at once.
      this.#schedule(begunAtMs);
    });
    await this.#renewing;
  }

  /** Releases the name. Never throws: an unreleased lease ends by itself. */
  async release(signal: AbortSignal): Promise<void> {
    const { bus, node } = this.#options;
    const wasHeld = this.#phase === 'held';
    this.#end();
    await this.#renewing;
    if (!wasHeld || !bus.isConnected) return;
    const key = leaseKey(node);
    try {
      await bus.bucket.delete(key, { revision: this.#revision, signal });
    } catch (error) {
      if (!isFleetError(error) || error.code !== 'conflict') return;
      // A pending heartbeat may have been written without a confirmation.
      const entry = await this.#read(signal).catch(() => undefined);
      if (entry?.record?.session !== this.session) return;
      await bus.bucket.delete(key, { revision: entry.revision, signal }).catch(() => undefined);
    }
  }

  async #write(): Promise<void> {
    const { bus, node, heartbeatMs } = this.#options;
    const writing = new AbortController();
    this.#writing = writing;
    const late = new FleetError('timed-out', 'The bus did not confirm a heartbeat in time');
    const timer = setTimeout(() => writing.abort(late), CUT_OFF_HEARTBEATS * heartbeatMs);
    const { signal } = writing;
    try {
      this.#revision = await bus.bucket.put(leaseKey(node), this.#nextHeartbeat(), {
        revision: this.#revision,
        signal,
      });
    } catch (error) {
      // After other errors the next heartbeat retries, until the confirmation timer fires.
      if (isFleetError(error) && error.code === 'conflict') await this.#resolveConflict(signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The key has an unexpected revision, possibly from an unconfirmed heartbeat of this process. */
  async #resolveConflict(signal: AbortSignal): Promise<void> {
    const { bus, node } = this.#options;
    const entry = await this.#read(signal).catch((): 'unknown' => 'unknown');
    if (entry === 'unknown' || this.#phase !== 'held') return;
    const record = entry?.record;
    if (record !== undefined && record.session !== this.session) {
      this.#end();
      const message = `The node name "${node}" was taken by another process (incarnation ${record.incarnation}) while the bus was unreachable. Join under another name`;
      this.#options.onSuperseded(new FleetError('superseded', message, { node }));
      return;
    }
    this.#revision = entry?.revision ?? 0;
    // One attempt: the next heartbeat handles a further conflict.
    await bus.bucket
      .put(leaseKey(node), this.#nextHeartbeat(), { revision: this.#revision, signal })
      .then((revision) => {
        this.#revision = revision;
      })
      .catch(() => undefined);
  }

  #confirm(isConfirmed: boolean): void {
    if (isConfirmed === this.#isConfirmed) return;
    this.#isConfirmed = isConfirmed;
    this.#wasConfirmed ||= isConfirmed;
    this.#options.onConfirmation();
  }

  #schedule(begunAtMs = performance.now()): void {
    if (this.#phase !== 'held') return;
    clearTimeout(this.#renewTimer);
    const dueAtMs = begunAtMs + this.#options.heartbeatMs;
    this.#renewTimer = setTimeout(() => void this.renew(), Math.max(0, dueAtMs - performance.now()));
  }

  #end(): void {
    this.#phase = 'over';
    this.#probeReplies?.[Symbol.dispose]();
    this.#writing?.abort(new FleetError('closed', 'The lease is over'));
    clearTimeout(this.#renewTimer);
    clearTimeout(this.#cutOffTimer);
    this.#confirm(false);
  }

  #nextHeartbeat(): Uint8Array {
    const { heartbeatMs, content } = this.#options;
    const now = performance.now();
    // Forgets heartbeats that are too old to confirm anything.
    for (const [beat, sentAtMs] of this.#sent)
      if (now - sentAtMs > CUT_OFF_HEARTBEATS * heartbeatMs) this.#sent.delete(beat);
    this.#heartbeat += 1;
    this.#sent.set(this.#heartbeat, now);
    return encodeRecord({
      incarnation: this.#incarnation,
      session: this.session,
      beat: this.#heartbeat,
      heartbeatMs,
      sentAtMs: nodeClockMs(),
      ...content(),
    });
  }

  async #read(
    signal: AbortSignal,
  ): Promise<{ readonly revision: number; readonly record: LeaseRecord | undefined } | undefined> {
    const { bus, node } = this.#options;
    const key = leaseKey(node);
    const entry = await bus.bucket.get(key, { signal });
    if (entry === undefined) return undefined;
    const read = decodeRecord(key, entry.value);
    return { revision: entry.revision, record: read?.kind === 'lease' ? read.record : undefined };
  }

  #nameTaken(held: LeaseRecord | undefined, cause?: Error): FleetError {
    const { node } = this.#options;
    const since = held === undefined ? '' : ` (incarnation ${held.incarnation})`;
    const message = `The node name "${node}" is taken by another process that is alive${since}. Each process needs its own node name`;
    return new FleetError('node-taken', message, { node, ...(cause && { cause }) });
  }
}
