import { appendFileSync, readFileSync } from 'node:fs';

/** A call that a fake server received, with any outcome. */
export interface FakeCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** From 1. */
  readonly start: number;
  /** True if the caller cancelled it before its result. */
  readonly isCancelled: boolean;
}

/** A start of a fake server, with any outcome. */
export interface FakeStarted {
  /** Process id; that of this process for in-process and HTTP servers. */
  readonly pid: number;
}

export type HistoryEntry =
  | { readonly type: 'started'; readonly pid: number }
  | {
      readonly type: 'called';
      readonly id: string;
      readonly tool: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly start: number;
    }
  | { readonly type: 'cancelled'; readonly id: string };

export interface FakeHistory {
  add(entry: HistoryEntry): void;
  entries(): readonly HistoryEntry[];
}

export class MemoryHistory implements FakeHistory {
  readonly #entries: HistoryEntry[] = [];

  add(entry: HistoryEntry): void {
    this.#entries.push(entry);
  }

  entries(): readonly HistoryEntry[] {
    return this.#entries;
  }
}

/** Synchronous: the process may exit right after. */
export class FileHistory implements FakeHistory {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  add(entry: HistoryEntry): void {
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
  }

  entries(): readonly HistoryEntry[] {
    // A process may be writing the last line.
    const lines = readFileSync(this.#file, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as HistoryEntry);
  }
}

export function startsIn(entries: readonly HistoryEntry[]): FakeStarted[] {
  return entries.flatMap((entry) => (entry.type === 'started' ? [{ pid: entry.pid }] : []));
}

export function callsIn(entries: readonly HistoryEntry[]): FakeCall[] {
  const cancelled = new Set(entries.flatMap((entry) => (entry.type === 'cancelled' ? [entry.id] : [])));
  return entries.flatMap((entry) => {
    if (entry.type !== 'called') return [];
    const { tool, arguments: args, start, id } = entry;
    return [{ tool, arguments: args, start, isCancelled: cancelled.has(id) }];
  });
}
