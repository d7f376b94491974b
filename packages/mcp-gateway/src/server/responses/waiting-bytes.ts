import { PIECE_OVERHEAD_BYTES, SMALL_BYTES } from '../message-sizes.js';

export interface WaitingLimits {
  /** Maximum pending bytes of one caller. */
  readonly perCaller: number;
  /** Maximum pending bytes of all callers. */
  readonly all: number;
}

/** Pieces of one `ArrayBuffer` count once per caller and once in total. */
type CountedPiece = Uint8Array | number;

/** Pending bytes, and the number of streams and responses that ended to free memory. */
export interface WaitingState {
  readonly bytes: number;
  readonly callers: number;
  readonly evicted: number;
}

/** A reader without progress for this time can be evicted for another message of its caller. */
const STALLED_MS = 1_000;

interface Account {
  readonly tally: Tally;
  /** Readers with pending bytes, the longest stalled first. */
  readonly readers: Set<Waiting>;
  /** Readers with copies that can be dropped. */
  readonly kept: Set<Waiting>;
  open: number;
}

export class Unread extends Error {
  constructor() {
    super('The client does not read: too many bytes are pending for its caller');
  }
}

/**
 * Counts pending bytes per caller and in total. A message is admitted below both limits, so one message may exceed
 * them. At a limit, copies are evicted first, then the longest stalled reader of the same caller. At the total limit,
 * the caller with the most bytes loses them.
 */
export class WaitingBytes {
  readonly #limits: WaitingLimits;
  readonly #now: () => number;
  readonly #all = new Tally();
  readonly #accounts = new Map<string, Account>();
  #evicted = 0;

  /** @param now - Milliseconds on a monotonic clock. */
  constructor(limits: WaitingLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Opens the count of one reader, which uses no memory without pending bytes. `close` must follow. */
  open(caller: string): Waiting {
    return new Waiting(caller, {
      now: this.#now,
      enter: () => this.#enter(caller),
      leave: (account) => {
        if (--account.open === 0) this.#accounts.delete(caller);
      },
      makeRoom: (reader, account) => this.#makeRoom(reader, account),
      hasRoom: () => this.#hasRoom(caller),
    });
  }

  get state(): WaitingState {
    return { bytes: this.#all.bytes, callers: this.#accounts.size, evicted: this.#evicted };
  }

  bytesOf(caller: string): number {
    return this.#accounts.get(caller)?.tally.bytes ?? 0;
  }

  #hasRoom(caller: string): boolean {
    for (const copy of this.#accounts.get(caller)?.kept ?? []) {
      if (this.bytesOf(caller) < this.#limits.perCaller) break;
      evictCopy(copy);
    }
    return this.bytesOf(caller) < this.#limits.perCaller;
  }

  #enter(caller: string): Account {
    const account = this.#accounts.get(caller) ?? {
      tally: new Tally(this.#all),
      readers: new Set(),
      kept: new Set(),
      open: 0,
    };
    this.#accounts.set(caller, account);
    account.open++;
    return account;
  }

  /** Returns `false` without room: the reader itself must end. */
  #makeRoom(reader: Waiting, account: Account): boolean {
    while (account.tally.bytes >= this.#limits.perCaller) {
      if (!this.#evictOf(account, reader)) return false;
    }
    while (this.#all.bytes >= this.#limits.all) {
      const heaviest = this.#heaviest();
      if (heaviest === undefined || !this.#evictOf(heaviest, reader, { isOwn: heaviest === account })) return false;
    }
    return true;
  }

  #evictOf({ kept, readers, tally }: Account, reader: Waiting, { isOwn = true } = {}): boolean {
    for (const copy of kept) {
      if (copy === reader) continue;
      evictCopy(copy);
      return true;
    }
    if (reader.isKept) return false;
    const [oldest] = readers;
    if (oldest === undefined || oldest === reader) return false;
    if (isOwn && this.#now() - oldest.lastProgressAt < STALLED_MS) return false;
    this.#evicted++;
    oldest.evict(
      new Error(
        `The client does not read: ${tally.bytes} bytes are pending for its caller, and others need the memory`,
      ),
    );
    return true;
  }

  #heaviest(): Account | undefined {
    let heaviest: Account | undefined;
    for (const account of this.#accounts.values()) {
      if (account.readers.size + account.kept.size === 0) continue;
      if (account.tally.bytes > (heaviest?.tally.bytes ?? 0)) heaviest = account;
    }
    return heaviest;
  }
}

function evictCopy(copy: Waiting): void {
  copy.evict(new Error('Other messages of this caller need the memory'));
}

interface Ledger {
  readonly now: () => number;
  enter(): Account;
  leave(account: Account): void;
  makeRoom(reader: Waiting, account: Account): boolean;
  hasRoom(): boolean;
}

/** The pending bytes of one reader: a stream, a response, or the copies of a session. */
export class Waiting {
  readonly caller: string;
  readonly #ledger: Ledger;
  #account: Account | undefined;
  #tally: Tally | undefined;
  #onEvicted: ((reason: Error) => void) | undefined;
  #isKept = false;
  #isClosed = false;
  #lastProgressAt = 0;

  constructor(caller: string, ledger: Ledger) {
    this.caller = caller;
    this.#ledger = ledger;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isKept(): boolean {
    return this.#isKept;
  }

  get bytes(): number {
    return this.#tally?.bytes ?? 0;
  }

  get lastProgressAt(): number {
    return this.#lastProgressAt;
  }

  /**
   * Allows eviction, which closes the count, or clears that of copies, and then calls the listener. Without a listener,
   * other messages of the caller are refused.
   *
   * @param isKept - The bytes are copies, which are evicted first.
   */
  onEviction(onEvicted: (reason: Error) => void, { isKept = false } = {}): this {
    this.#onEvicted = onEvicted;
    this.#isKept = isKept;
    if (this.bytes > 0) this.#rank();
    return this;
  }

  /** `false`: the caller has too many pending bytes for new work. Evicts copies, but no readers. */
  get hasRoom(): boolean {
    return !this.#isClosed && this.#ledger.hasRoom();
  }

  /** Returns `false`, without a change, if there is no room. */
  tryAdd(piece: CountedPiece): boolean {
    if (this.#isClosed) return false;
    const account = this.#enter();
    const hasRoom = this.#ledger.makeRoom(this, account);
    // Most readers without pending bytes read a small message at once.
    const isSoonTaken = this.bytes === 0 && !this.#isKept && sizeOf(piece) <= SMALL_BYTES;
    if (this.#isClosed || !(hasRoom || isSoonTaken)) return false;
    this.add(piece);
    return true;
  }

  /** Adds a piece that replaces an admitted one. */
  add(piece: CountedPiece): void {
    if (this.#isClosed) return;
    this.#enter();
    const tally = this.#tally as Tally; // set by `#enter`
    if (tally.bytes === 0) this.recordProgress();
    tally.add(piece);
  }

  release(piece: CountedPiece): void {
    if (this.#isClosed) return;
    this.#tally?.remove(piece);
    if (this.bytes === 0) this.#unrank();
  }

  /** Records progress of the reader. */
  recordProgress(): void {
    this.#lastProgressAt = this.#ledger.now();
    if (this.#account !== undefined) this.#rank();
  }

  clear(): void {
    this.#tally?.clear();
    this.#unrank();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.clear();
    if (this.#account !== undefined) this.#ledger.leave(this.#account);
    this.#account = undefined;
  }

  evict(reason: Error): void {
    if (this.#isKept) this.clear();
    else this.close();
    this.#onEvicted?.(reason);
  }

  #enter(): Account {
    this.#account ??= this.#ledger.enter();
    this.#tally ??= new Tally(this.#account.tally);
    return this.#account;
  }

  #rank(): void {
    if (this.#onEvicted === undefined || this.#account === undefined) return;
    this.#unrank();
    (this.#isKept ? this.#account.kept : this.#account.readers).add(this);
  }

  #unrank(): void {
    this.#account?.kept.delete(this);
    this.#account?.readers.delete(this);
  }
}

function sizeOf(piece: CountedPiece): number {
  return typeof piece === 'number' ? piece : piece.buffer.byteLength;
}

/** Shared memory counts once here, and once in the total. */
class Tally {
  readonly #sum: Tally | undefined;
  readonly #shared = new Map<ArrayBufferLike, number>();
  #own = 0;
  #bytes = 0;

  constructor(sum?: Tally) {
    this.#sum = sum;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(piece: CountedPiece): void {
    this.#count(PIECE_OVERHEAD_BYTES + (typeof piece === 'number' ? piece : 0));
    if (typeof piece !== 'number') this.#share(piece.buffer);
  }

  remove(piece: CountedPiece): void {
    this.#count(-PIECE_OVERHEAD_BYTES - (typeof piece === 'number' ? piece : 0));
    if (typeof piece !== 'number') this.#unshare(piece.buffer);
  }

  clear(): void {
    this.#count(-this.#own);
    for (const memory of this.#shared.keys()) {
      this.#shared.set(memory, 1);
      this.#unshare(memory);
    }
  }

  #count(bytes: number): void {
    this.#own += bytes;
    this.#bytes += bytes;
    if (this.#sum !== undefined) this.#sum.#count(bytes);
  }

  #share(memory: ArrayBufferLike): void {
    const count = this.#shared.get(memory) ?? 0;
    this.#shared.set(memory, count + 1);
    if (count > 0) return;
    this.#bytes += memory.byteLength;
    if (this.#sum !== undefined) this.#sum.#share(memory);
  }

  #unshare(memory: ArrayBufferLike): void {
    const count = this.#shared.get(memory) ?? 0;
    if (count > 1) {
      this.#shared.set(memory, count - 1);
      return;
    }
    this.#shared.delete(memory);
    this.#bytes -= memory.byteLength;
    if (this.#sum !== undefined) this.#sum.#unshare(memory);
  }
}
