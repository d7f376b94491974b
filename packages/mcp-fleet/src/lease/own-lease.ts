import type { FleetBus } from '../bus.js';
import { decodeRecord, encodeRecord, type LeaseRecord, leaseKey } from '../catalog/records.js';
import { FleetError, isFleetError } from '../errors.js';
import { nodeClockMs } from '../principal/node-clock.js';
import { answerProbes, isAnswering } from './answer-probe.js';
import { LEASE_BEATS, leaseMs } from './lease-table.js';

/** Beats without an answer of the bus after which a node counts itself as cut off: one less than the others wait. */
const CUT_OFF_BEATS = LEASE_BEATS - 1;

/** What a beat says, beside what the lease itself knows. */
export type BeatContent = Pick<LeaseRecord, 'publicKey' | 'load'>;

export interface OwnLeaseOptions {
  readonly bus: FleetBus;
  readonly node: string;
  readonly heartbeatMs: number;
  /** Asked anew for each beat. */
  content(): BeatContent;
  /** `isConfirmed` has changed. */
  onConfirmation(): void;
  /** Somebody else has taken the name. The lease is over. */
  onSuperseded(error: FleetError): void;
}

type Phase = 'idle' | 'held' | 'over';

/**
 * This node's right to its name: a key that it writes with each beat, each time on top of what it wrote before. Whoever
 * writes in between is found out by the bus, so a clone cannot live beside this node.
 *
 * A beat counts when it has come back from the bus. The bus tells changes in order, so what others wrote before it is
 * known by then, too.
 */
export class OwnLease {
  readonly session = crypto.randomUUID();
  readonly #options: OwnLeaseOptions;
  /** When the beats were sent that have not come back, on this node's clock. */
  readonly #sent = new Map<number, number>();
  #phase: Phase = 'idle';
  /** What was said last of `isConfirmed`. */
  #isConfirmed = false;
  #wasConfirmed = false;
  /** Until when the last beat that came back confirms the lease, or the first one has to come back, on this node's clock. */
  #confirmedUntilMs = 0;
  #incarnation = 0;
  #revision = 0;
  #beat = 0;
  #answering: Disposable | undefined;
  #beating: Promise<void> | undefined;
  #writing: AbortController | undefined;
  #beatTimer: ReturnType<typeof setTimeout> | undefined;
  #cutOffTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: OwnLeaseOptions) {
    this.#options = options;
  }

  /** `undefined` until the name is taken, and after it was lost. */
  get incarnation(): number | undefined {
    return this.#phase === 'held' ? this.#incarnation : undefined;
  }

  /** Whether a beat of the last two heartbeats has come back from the bus: others do not count this node as gone. */
  get isConfirmed(): boolean {
    // A process that was stopped for a while gets its messages before its timers.
    return this.#isConfirmed && performance.now() < this.#confirmedUntilMs;
  }

  /**
   * Takes the name. Waits for as long as a lease lasts when another process that holds it does not answer and may yet be
   * alive.
   *
   * @throws {FleetError} `node-taken`, `bus-down`, `forbidden`; or the signal's reason.
   */
  async take(signal: AbortSignal): Promise<void> {
    const { bus, node, heartbeatMs } = this.#options;
    const before = await this.#read(signal);
    const held = before?.record;
    // An attempt of this process may have been written without its confirmation.
    const isOurs = held?.session === this.session;
    if (held !== undefined && !isOurs && (await isAnswering(bus, { node, waitMs: leaseMs(held), signal }))) {
      throw this.#taken(held);
    }
    this.#incarnation = Math.max((held?.incarnation ?? 0) + 1, Date.now());
    // From before it is written on: who finds the lease finds somebody who answers, too.
    const answering = answerProbes(bus, node);
    try {
      const revision = before?.revision ?? 0;
      this.#revision = await bus.bucket.put(leaseKey(node), this.#nextBeat(), { revision, signal });
    } catch (error) {
      answering[Symbol.dispose]();
      if (!isFleetError(error) || error.code !== 'conflict') throw error;
      const writer = (await this.#read(signal))?.record ?? held;
      // The write of an attempt that was given up may arrive during the next one.
      if (writer?.session === this.session) return this.take(signal);
      throw this.#taken(writer, error);
    }
    this.#phase = 'held';
    this.#answering = answering;
    this.#confirmedUntilMs = Math.max(this.#confirmedUntilMs, performance.now() + CUT_OFF_BEATS * heartbeatMs);
    this.#schedule();
  }

  /**
   * The bus tells a beat of this node's name.
   *
   * @returns Whether it is this process's own.
   */
  seen(record: LeaseRecord): boolean {
    if (record.session !== this.session) {
      void this.renew(); // so that two who hold one name know it at once
      return false;
    }
    const sentAtMs = this.#sent.get(record.beat);
    if (sentAtMs === undefined || this.#phase === 'over') return true;
    for (const beat of this.#sent.keys()) if (beat <= record.beat) this.#sent.delete(beat);
    const untilMs = sentAtMs + CUT_OFF_BEATS * this.#options.heartbeatMs;
    const restMs = untilMs - performance.now();
    // After a time without the bus it tells what was written before, and others may hold by now what this node had.
    if (restMs <= 0) return true;
    clearTimeout(this.#cutOffTimer);
    // The confirmation may have run out before its timer fires. Decisions from in between have to be made anew.
    this.#isConfirmed = this.isConfirmed;
    this.#confirmedUntilMs = untilMs;
    this.#cutOffTimer = setTimeout(() => this.#confirm(false), restMs);
    this.#confirm(true);
    return true;
  }

  /** Whether the bus has confirmed nothing for two heartbeats, or had not yet after the first two. */
  get isCutOff(): boolean {
    if (this.#phase !== 'held' || this.isConfirmed) return false;
    return this.#wasConfirmed || performance.now() >= this.#confirmedUntilMs;
  }

  /** Writes a beat now, out of turn. */
  async renew(): Promise<void> {
    if (this.#phase !== 'held') return;
    clearTimeout(this.#beatTimer);
    const begunAtMs = performance.now();
    this.#beating ??= this.#write().finally(() => {
      this.#beating = undefined;
      // One that was not taken for a heartbeat has the next one follow it at once.
      this.#schedule(begunAtMs);
    });
    await this.#beating;
  }

  /** Gives the name back. Never throws: what cannot be said ends by itself. */
  async release(signal: AbortSignal): Promise<void> {
    const { bus, node } = this.#options;
    const wasHeld = this.#phase === 'held';
    this.#end();
    await this.#beating;
    if (!wasHeld || !bus.isConnected) return;
    const key = leaseKey(node);
    try {
      await bus.bucket.delete(key, { revision: this.#revision, signal });
    } catch (error) {
      if (!isFleetError(error) || error.code !== 'conflict') return;
      // The beat that was under way may have been written without our having been told.
      const entry = await this.#read(signal).catch(() => undefined);
      if (entry?.record?.session !== this.session) return;
      await bus.bucket.delete(key, { revision: entry.revision, signal }).catch(() => undefined);
    }
  }

  async #write(): Promise<void> {
    const { bus, node, heartbeatMs } = this.#options;
    const writing = new AbortController();
    this.#writing = writing;
    const late = new FleetError('timed-out', 'The bus did not confirm a beat in time');
    const timer = setTimeout(() => writing.abort(late), CUT_OFF_BEATS * heartbeatMs);
    const { signal } = writing;
    try {
      this.#revision = await bus.bucket.put(leaseKey(node), this.#nextBeat(), { revision: this.#revision, signal });
    } catch (error) {
      // Anything else may pass: the next beat tries again, and the other timer knows when it has been too long.
      if (isFleetError(error) && error.code === 'conflict') await this.#lookWhoWrote(signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The key is not as we left it. Our own beat may have been written without our having been told. */
  async #lookWhoWrote(signal: AbortSignal): Promise<void> {
    const { bus, node } = this.#options;
    const entry = await this.#read(signal).catch((): 'unknown' => 'unknown');
    if (entry === 'unknown' || this.#phase !== 'held') return;
    const record = entry?.record;
    if (record !== undefined && record.session !== this.session) {
      this.#end();
      const message = `The node name "${node}" was taken by another process (incarnation ${record.incarnation}) while this one could not reach the bus; join under a name of its own`;
      this.#options.onSuperseded(new FleetError('superseded', message, { node }));
      return;
    }
    this.#revision = entry?.revision ?? 0;
    // One try: who writes again meanwhile is met by the next beat.
    await bus.bucket
      .put(leaseKey(node), this.#nextBeat(), { revision: this.#revision, signal })
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
    clearTimeout(this.#beatTimer);
    const dueAtMs = begunAtMs + this.#options.heartbeatMs;
    this.#beatTimer = setTimeout(() => void this.renew(), Math.max(0, dueAtMs - performance.now()));
  }

  #end(): void {
    this.#phase = 'over';
    this.#answering?.[Symbol.dispose]();
    this.#writing?.abort(new FleetError('closed', 'The lease is over'));
    clearTimeout(this.#beatTimer);
    clearTimeout(this.#cutOffTimer);
    this.#confirm(false);
  }

  #nextBeat(): Uint8Array {
    const { heartbeatMs, content } = this.#options;
    const now = performance.now();
    // One that old would confirm nothing any more.
    for (const [beat, sentAtMs] of this.#sent)
      if (now - sentAtMs > CUT_OFF_BEATS * heartbeatMs) this.#sent.delete(beat);
    this.#beat += 1;
    this.#sent.set(this.#beat, now);
    return encodeRecord({
      incarnation: this.#incarnation,
      session: this.session,
      beat: this.#beat,
      heartbeatMs,
      sentAtMs: nodeClockMs(),
      ...content(),
    });
  }

  /** What the bucket holds under this node's name. */
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

  #taken(held: LeaseRecord | undefined, cause?: Error): FleetError {
    const { node } = this.#options;
    const since = held === undefined ? '' : ` (incarnation ${held.incarnation})`;
    const message = `The node name "${node}" is taken by another process that is alive${since}; each process joins under a name of its own`;
    return new FleetError('node-taken', message, { node, ...(cause && { cause }) });
  }
}
