import { isDeepStrictEqual } from 'node:util';
import { noRedaction, type Redact } from '../redaction.js';
import { DiskMemory } from './disk-memory.js';
import type { ServerMemory } from './server-memory.js';

export interface MemoryStore {
  recall(fingerprint: string): ServerMemory | undefined;
  /** Stores in the background. A failure only causes one warning. */
  remember(fingerprint: string, memory: ServerMemory): void;
  /** Frees the memory of a launch. Files remain. */
  forget(fingerprint: string): void;
  /** Settles when all pending writes have ended. Never rejects. */
  flush(): Promise<void>;
}

/** In RAM, and as redacted files in `directory` if given. */
export function createMemoryStore(directory: string | undefined, redact: Redact = noRedaction): MemoryStore {
  return new KnownMemories(directory === undefined ? undefined : new DiskMemory(directory, redact));
}

/** An unchanged file gets new times after a day. */
const maxAgeMs = 24 * 60 * 60 * 1_000;

class KnownMemories implements MemoryStore {
  readonly #disk: DiskMemory | undefined;
  readonly #known = new Map<string, ServerMemory>();
  readonly #keptAt = new Map<string, number>();

  constructor(disk: DiskMemory | undefined) {
    this.#disk = disk;
  }

  recall(fingerprint: string): ServerMemory | undefined {
    const known = this.#known.get(fingerprint);
    if (known || isOfThisProcess(fingerprint)) return known;
    const memory = this.#disk?.read(fingerprint);
    if (!memory) return undefined;
    this.#known.set(fingerprint, memory);
    this.#keptAt.set(fingerprint, memory.savedAt);
    return memory;
  }

  remember(fingerprint: string, memory: ServerMemory): void {
    const before = this.#known.get(fingerprint);
    this.#known.set(fingerprint, memory);
    if (!this.#disk || isOfThisProcess(fingerprint)) return;
    const keptAt = this.#keptAt.get(fingerprint) ?? Number.NEGATIVE_INFINITY;
    if (before && memory.savedAt - keptAt < maxAgeMs && isSame(before, memory)) return;
    this.#keptAt.set(fingerprint, memory.savedAt);
    this.#disk.write(fingerprint, memory);
  }

  forget(fingerprint: string): void {
    this.#known.delete(fingerprint);
    this.#keptAt.delete(fingerprint);
  }

  async flush(): Promise<void> {
    await this.#disk?.flush();
  }
}

/** Compares without times, so that a server that lists the same tools repeatedly causes no writes. */
function isSame(one: ServerMemory, other: ServerMemory): boolean {
  return isDeepStrictEqual(withoutTimes(one), withoutTimes(other));
}

function withoutTimes({ savedAt, listedAt, lists, ...rest }: ServerMemory): object {
  const items = Object.entries(lists ?? {}).map(([method, list]) => [method, list?.items]);
  return { ...rest, items, isListed: listedAt !== undefined };
}

/** True for the fingerprint of an in-process server, which is meaningless elsewhere. */
function isOfThisProcess(fingerprint: string): boolean {
  return fingerprint.startsWith('in-process-');
}
