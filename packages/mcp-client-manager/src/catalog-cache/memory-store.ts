import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { readMemory, type ServerMemory, writeMemory } from './server-memory.js';

/** Where servers are remembered by their launch fingerprints. */
export interface MemoryStore {
  recall(fingerprint: string): ServerMemory | undefined;
  /** Keeps `memory` in the background. A failure is reported as a warning once and never disturbs the server. */
  remember(fingerprint: string, memory: ServerMemory): void;
  /** Settles when everything that was to be kept is kept, or has failed. Never rejects. */
  flush(): Promise<void>;
}

/** A file that is larger than this is neither written nor read, in bytes. */
const maxFileBytes = 16 * 1_024 * 1_024;
/** A launch that was not used for so long is forgotten, in milliseconds: 90 days. */
const retentionMs = 90 * 24 * 60 * 60 * 1_000;
const suffix = '.json';

/** Remembers while the process lives, and in `directory` beyond that when there is one. */
export function createMemoryStore(directory: string | undefined): MemoryStore {
  return directory === undefined ? new ProcessMemory() : new DiskMemory(join(directory, 'catalogs'));
}

class ProcessMemory implements MemoryStore {
  readonly #memories = new Map<string, ServerMemory>();

  recall(fingerprint: string): ServerMemory | undefined {
    return this.#memories.get(fingerprint);
  }

  remember(fingerprint: string, memory: ServerMemory): void {
    this.#memories.set(fingerprint, memory);
  }

  async flush(): Promise<void> {}
}

/**
 * One private file a launch. Reading is synchronous and happens once a launch, so that a new manager knows every tool
 * before its first caller can ask; writing is in the background, one at a time for each file, the newest content last.
 */
class DiskMemory implements MemoryStore {
  readonly #directory: string;
  readonly #known = new ProcessMemory();
  readonly #waiting = new Map<string, string>();
  #writing: Promise<void> | undefined;
  #isFailureTold = false;

  constructor(directory: string) {
    this.#directory = directory;
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      forgetOld(directory, Date.now());
    } catch (error) {
      this.#tell(error);
    }
  }

  recall(fingerprint: string): ServerMemory | undefined {
    const known = this.#known.recall(fingerprint);
    if (known || isOfThisProcess(fingerprint)) return known;
    const text = readSmallFile(this.#pathOf(fingerprint));
    const memory = text === undefined ? undefined : readMemory(text);
    if (memory) this.#known.remember(fingerprint, memory);
    return memory;
  }

  remember(fingerprint: string, memory: ServerMemory): void {
    this.#known.remember(fingerprint, memory);
    if (isOfThisProcess(fingerprint)) return;
    const text = writeMemory(memory);
    if (Buffer.byteLength(text) > maxFileBytes) return;
    this.#waiting.set(fingerprint, text);
    this.#writing ??= this.#writeAll();
  }

  async flush(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    for (const [fingerprint, text] of this.#waiting) {
      this.#waiting.delete(fingerprint);
      try {
        await writeFileAtomic(this.#pathOf(fingerprint), text, { mode: 0o600, fsync: false });
      } catch (error) {
        this.#tell(error);
      }
    }
    this.#writing = undefined;
  }

  #pathOf(fingerprint: string): string {
    return join(this.#directory, `${fingerprint}${suffix}`);
  }

  #tell(error: unknown): void {
    if (this.#isFailureTold) return;
    this.#isFailureTold = true;
    const why = error instanceof Error ? error.message : String(error);
    process.emitWarning(`Servers cannot be remembered in ${this.#directory}: ${why}. They work all the same.`);
  }
}

/** The fingerprint of an object in memory means nothing to any other process. */
function isOfThisProcess(fingerprint: string): boolean {
  return fingerprint.startsWith('in-process-');
}

function readSmallFile(path: string): string | undefined {
  try {
    return statSync(path).size > maxFileBytes ? undefined : readFileSync(path, 'utf8');
  } catch {
    return undefined; // mostly: never written
  }
}

function forgetOld(directory: string, now: number): void {
  for (const name of readdirSync(directory)) {
    if (!name.endsWith(suffix)) continue;
    const path = join(directory, name);
    const age = now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now);
    if (age > retentionMs) rmSync(path, { force: true });
  }
}
