import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { processEntry, processTableId } from '@x/internal/processes';
import { type JournalLine, type JournalProcess, type JournalRecord, journalFileName } from './journal-record.js';

const maxStaleLines = 1_000;

export function journalDirectory(stateDirectory: string): string {
  return join(stateDirectory, 'processes');
}

interface JournalOptions {
  readonly directory: string;
  readonly owner: string;
  readonly onProblem: (message: string) => void;
}

/**
 * Records the processes of one manager, so that the next owner can end them if this one and its guardian are killed. An
 * append is much cheaper than a rewrite. Linux only: other systems do not expose start times and environments.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #path: string;
  readonly #header: JournalRecord | undefined;
  readonly #processes = new Map<number, JournalProcess>();
  #file: number | undefined;
  #lines = 0;
  #isProblemReported = false;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#path = join(options.directory, journalFileName(options.owner));
    const table = processTableId();
    const host = processEntry(process.pid);
    if (table === undefined || host === undefined) return;
    const { pid, startTime } = host;
    this.#header = { version: 1, owner: options.owner, table, host: { pid, startTime }, processes: [] };
  }

  add(started: JournalProcess): void {
    this.#processes.set(started.pid, started);
    this.#write({ started });
  }

  remove(pid: number): void {
    if (this.#processes.delete(pid)) this.#write({ ended: pid });
  }

  close(): void {
    this.#closeFile();
    if (this.#processes.size === 0) rmSync(this.#path, { force: true });
  }

  /** Synchronous: this process may be killed in the next turn. */
  #write(line: JournalLine): void {
    if (!this.#header) return;
    try {
      if (this.#file === undefined || this.#lines > this.#processes.size + maxStaleLines) this.#replace(this.#header);
      else writeSync(this.#file, `${JSON.stringify(line)}\n`);
      this.#lines += 1;
    } catch (error) {
      this.#closeFile();
      if (!this.#isProblemReported) {
        this.#options.onProblem(
          `The process journal ${this.#path} cannot be written: ${String(error)}. Make its directory writable, so that leftover processes can be found.`,
        );
      }
      this.#isProblemReported = true;
    }
  }

  #replace(header: JournalRecord): void {
    this.#closeFile();
    mkdirSync(this.#options.directory, { recursive: true, mode: 0o700 });
    const lines: JournalLine[] = Array.from(this.#processes.values(), (started) => ({ started }));
    this.#file = openSync(`${this.#path}.new`, 'w', 0o600);
    writeSync(this.#file, [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''));
    renameSync(`${this.#path}.new`, this.#path);
    this.#lines = lines.length;
  }

  #closeFile(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
