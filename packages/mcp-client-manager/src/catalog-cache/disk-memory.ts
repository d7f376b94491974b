import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@x/internal/errors';
import { asItIs, type Redact } from '../redaction.js';
import { writePrivateFile } from '../write-private-file.js';
import { redactedMemory } from './redacted-memory.js';
import { readMemory, type ServerMemory, writeMemory } from './server-memory.js';

const maxFileBytes = 16 * 1_024 * 1_024;
/** The least recently used files are removed first. */
const maxBytes = 8 * maxFileBytes;
/** Unused files are removed after 90 days. */
const retentionMs = 90 * 24 * 60 * 60 * 1_000;
/** Unfinished files are removed after an hour. */
const unfinishedMs = 60 * 60 * 1_000;
/** Changes between two rounds of writing are written once. */
const pauseMs = 2_000;
/** `.<digits>` ends the temporary names of write-file-atomic. */
const ownFile = /^[\w-]+\.json(\.\d+)?$/;

/**
 * One private file per launch. Reads are synchronous, once per launch: a new manager knows all tools before its first
 * caller. Writes run in the background.
 */
export class DiskMemory {
  readonly #directory: string;
  readonly #redact: Redact;
  readonly #waiting = new Map<string, ServerMemory>();
  readonly #written = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #hasWarned = false;

  constructor(stateDirectory: string, redact: Redact = asItIs) {
    this.#redact = redact;
    this.#directory = join(stateDirectory, 'catalogs');
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      removeOld(this.#directory, Date.now());
    } catch (error) {
      this.#warn(error);
    }
  }

  read(fingerprint: string): ServerMemory | undefined {
    const waiting = this.#waiting.get(fingerprint);
    if (waiting) return waiting;
    const text = readSmallFile(this.#pathOf(fingerprint));
    return text === undefined ? undefined : readMemory(text);
  }

  write(fingerprint: string, memory: ServerMemory): void {
    this.#waiting.set(fingerprint, memory);
    if (!this.#timer && !this.#writing) this.#begin();
  }

  async flush(): Promise<void> {
    while (this.#writing || this.#waiting.size > 0) {
      if (!this.#writing) this.#begin();
      await this.#writing;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = [...this.#waiting];
    this.#waiting.clear();
    this.#writing = this.#writeAll(batch).then(() => {
      this.#writing = undefined;
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        if (this.#waiting.size > 0) this.#begin();
      }, pauseMs);
      this.#timer.unref();
    });
  }

  async #writeAll(batch: readonly (readonly [fingerprint: string, memory: ServerMemory])[]): Promise<void> {
    for (const [fingerprint, memory] of batch) {
      try {
        await this.#write(fingerprint, memory);
      } catch (error) {
        this.#warn(error);
      }
    }
  }

  async #write(fingerprint: string, memory: ServerMemory): Promise<void> {
    const text = writeMemory(redactedMemory(memory, this.#redact));
    if (Buffer.byteLength(text) > maxFileBytes) return;
    await writePrivateFile(this.#pathOf(fingerprint), text, { fsync: false });
    if (this.#written.has(fingerprint)) return;
    this.#written.add(fingerprint);
    removeOld(this.#directory, Date.now());
  }

  #pathOf(fingerprint: string): string {
    return join(this.#directory, `${fingerprint}.json`);
  }

  #warn(error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const why = messageOf(error);
    process.emitWarning(`Tool lists cannot be stored in ${this.#directory}: ${why}. Servers are unaffected.`);
  }
}

function readSmallFile(path: string): string | undefined {
  try {
    return statSync(path).size > maxFileBytes ? undefined : readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function removeOld(directory: string, now: number): void {
  const files = readdirSync(directory)
    .filter((name) => ownFile.test(name))
    .map((name) => {
      const path = join(directory, name);
      const { mtimeMs = now, size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
      return { path, mtimeMs, size };
    })
    .sort((one, other) => other.mtimeMs - one.mtimeMs);
  let bytes = 0;
  for (const { path, mtimeMs, size } of files) {
    bytes += size;
    const keptMs = path.endsWith('.json') ? retentionMs : unfinishedMs;
    if (now - mtimeMs > keptMs || bytes > maxBytes) rmSync(path, { force: true });
  }
}
