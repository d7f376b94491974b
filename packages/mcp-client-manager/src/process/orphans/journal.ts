import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { processEntry, processTableId } from '../process-table.js';
import { type JournalLine, type JournalProcess, type JournalRecord, journalFileName } from './journal-record.js';

/** Lines beyond those of live processes after which the file is written anew. */
const maxStaleLines = 1_000;

/** Where the journals of all managers with one state directory are. */
export function journalDirectory(stateDirectory: string): string {
  return join(stateDirectory, 'processes');
}

export interface JournalOptions {
  readonly directory: string;
  readonly owner: string;
  /** Told once when the journal cannot be written; that hurts no server. */
  readonly onProblem: (message: string) => void;
}

/**
 * Writes down which processes one manager has started, so that the next host can end what this one and its guardian
 * were killed over. One file per manager, readable by its user alone, with a line for each process that comes or goes:
 * a line costs a thousandth of what replacing the file would. Only Linux lets another process's start time and
 * environment be looked at, so elsewhere nothing is written.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #path: string;
  readonly #header: JournalRecord | undefined;
  readonly #processes = new Map<number, JournalProcess>();
  #file: number | undefined;
  #lines = 0;
  #isProblemTold = false;

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

  /** Takes the file away, unless something is left that could not be stopped. */
  close(): void {
    this.#closeFile();
    if (this.#processes.size === 0) rmSync(this.#path, { force: true });
  }

  /** In one turn: a host may be killed in the next, and a process that is not in here by then would stay. */
  #write(line: JournalLine): void {
    if (!this.#header) return;
    try {
      if (this.#file === undefined || this.#lines > this.#processes.size + maxStaleLines) this.#replace(this.#header);
      else writeSync(this.#file, `${JSON.stringify(line)}\n`);
      this.#lines += 1;
    } catch (error) {
      this.#closeFile(); // half a line may be in there: the next one begins a new file
      if (!this.#isProblemTold) {
        this.#options.onProblem(`The journal of processes ${this.#path} cannot be written: ${String(error)}`);
      }
      this.#isProblemTold = true;
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
