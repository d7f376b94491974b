import { isDeepStrictEqual } from 'node:util';
import { asItIs, type Redact } from '../redaction.js';
import { DiskMemory } from './disk-memory.js';
import type { ServerMemory } from './server-memory.js';

/** Where servers are remembered by their launch fingerprints. */
export interface MemoryStore {
  recall(fingerprint: string): ServerMemory | undefined;
  /** Keeps `memory` in the background. A failure is reported as a warning once and never disturbs the server. */
  remember(fingerprint: string, memory: ServerMemory): void;
  /** Frees what is held of a launch that this process does not have any more. What is on disk stays there. */
  forget(fingerprint: string): void;
  /** Settles when everything that was to be kept is kept, or has failed. Never rejects. */
  flush(): Promise<void>;
}

/** Remembers while the process lives, and in `directory` beyond that when there is one; there without secrets. */
export function createMemoryStore(directory: string | undefined, redact: Redact = asItIs): MemoryStore {
  return new KnownMemories(directory === undefined ? undefined : new DiskMemory(directory, redact));
}

/** How old what is on disk gets before it is written anew although only its time has changed, in milliseconds: a day. */
const maxAgeMs = 24 * 60 * 60 * 1_000;

class KnownMemories implements MemoryStore {
  readonly #disk: DiskMemory | undefined;
  readonly #known = new Map<string, ServerMemory>();
  /** When what is on disk was kept there, by the memory's own time. */
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

/** Times alone are no news: a server that lists the same tools every second is not written down every second. */
function isSame(one: ServerMemory, other: ServerMemory): boolean {
  return isDeepStrictEqual(withoutTimes(one), withoutTimes(other));
}

function withoutTimes({ savedAt, listedAt, lists, ...rest }: ServerMemory): object {
  const items = Object.entries(lists ?? {}).map(([method, list]) => [method, list?.items]);
  return { ...rest, items, isListed: listedAt !== undefined };
}

/** The fingerprint of an object in memory means nothing to any other process. */
function isOfThisProcess(fingerprint: string): boolean {
  return fingerprint.startsWith('in-process-');
}
