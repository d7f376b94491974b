import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '@x/internal/errors';
import { replaceFile } from '@x/internal/files';
import { noRedaction, type Redact, redactData } from '../redaction.js';
import type { ServerTool } from '../session/session.js';
import { type RememberedLists, readMemory, type ServerMemory, writeMemory } from './server-memory.js';

const maxFileBytes = 16 * 1_024 * 1_024;
/** The least recently used files are removed first. */
const maxBytes = 8 * maxFileBytes;
/** Unused files are removed after 90 days. */
const retentionMs = 90 * 24 * 60 * 60 * 1_000;
/** Unfinished files are removed after an hour. */
const unfinishedMs = 60 * 60 * 1_000;
/** Changes between two rounds of writing are written once. */
const pauseMs = 2_000;
/** A UUID ends the names of unfinished files. */
const ownFile = /^[\w-]+\.json(\.[\da-f-]{36})?$/;

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

  constructor(stateDirectory: string, redact: Redact = noRedaction) {
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
    await replaceFile(this.#pathOf(fingerprint), text, { fsync: false });
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

/** Redacts all texts of the server. Omits entries whose name or schema changes: they would be useless. */
function redactedMemory(memory: ServerMemory, redact: Redact): ServerMemory {
  if (redact === noRedaction) return memory;
  const { facts, tools, lists } = memory;
  const kept = tools.flatMap((tool) => hiddenEntry(tool, toolKeys, redact));
  return {
    ...memory,
    facts: {
      ...facts,
      serverInfo: hidden(facts.serverInfo, redact),
      instructions: hidden(facts.instructions, redact),
      capabilities: Object.fromEntries(
        Object.entries(facts.capabilities).map(([key, value]) => [key, hidden(value, redact)]),
      ),
    },
    tools: kept,
    isPartial: memory.isPartial === true || kept.length < tools.length || undefined,
    ...(lists && { lists: hiddenLists(lists, redact) }),
  };
}

const toolKeys = ['name', 'inputSchema', 'outputSchema'] as const satisfies readonly (keyof ServerTool)[];
const entryKeys = ['name', 'uri', 'uriTemplate', 'arguments'];

function hiddenLists(lists: RememberedLists, redact: Redact): RememberedLists {
  const entries = Object.entries(lists).map(([method, list]) => [
    method,
    list && { ...list, items: list.items.flatMap((item) => hiddenEntry(item, entryKeys, redact)) },
  ]);
  return Object.fromEntries(entries) as RememberedLists;
}

function hiddenEntry<Entry extends object>(entry: Entry, keys: readonly string[], redact: Redact): readonly Entry[] {
  const shown = hidden(entry, redact);
  if (shown === entry) return [entry];
  const fields = shown as Readonly<Record<string, unknown>>;
  const isSame = keys.every((key) => isDeepStrictEqual(fields[key], (entry as Readonly<Record<string, unknown>>)[key]));
  return isSame ? [shown] : [];
}

/** The same object if nothing is redacted. */
function hidden<Data>(data: Data, redact: Redact): Data {
  const json: string | undefined = JSON.stringify(data);
  return json === undefined || redact(json) === json ? data : (redactData(data, redact) as Data);
}
