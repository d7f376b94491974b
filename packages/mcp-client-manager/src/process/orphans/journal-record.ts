import { parseJson } from '@x/internal/json';

/** What one manager has started, as it stands in its journal. */
export interface JournalRecord {
  readonly version: 1;
  /** Value of the owner marker in the environment of every process below. */
  readonly owner: string;
  /** Boot of the machine and table of processes that the numbers below belong to. */
  readonly table: string;
  readonly host: ProcessIdentity;
  readonly processes: readonly JournalProcess[];
}

export interface ProcessIdentity {
  readonly pid: number;
  /** In clock ticks since the machine started. */
  readonly startTime: number;
}

export interface JournalProcess extends ProcessIdentity {
  /** The process group that it leads. */
  readonly group: number;
  /** Which server it is, for people who read the file. */
  readonly server: string;
}

/** A journal is `<owner>.json`; the owner is the host's process id and a random UUID. */
const ownerShape = /^[1-9]\d{0,9}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function journalFileName(owner: string): string {
  return `${owner}.json`;
}

/** The owner whose journal a file is by its name; `undefined` for any other file. */
export function ownerOfFile(name: string): string | undefined {
  const owner = name.endsWith('.json') ? name.slice(0, -'.json'.length) : '';
  return ownerShape.test(owner) ? owner : undefined;
}

/** What follows the first line of a journal, which is a record without processes. */
export type JournalLine = { readonly started: JournalProcess } | { readonly ended: number };

/** `undefined` for whatever we would not have written: nothing of it is to be obeyed then. */
export function parseJournal(text: string, owner: string): JournalRecord | undefined {
  // What comes after the last newline is a line that its host was killed over.
  const [header, ...lines] = text.split('\n').slice(0, -1).map(parseJson);
  if (!isHeader(header) || header.owner !== owner || !owner.startsWith(`${header.host.pid}-`)) return undefined;
  const processes = new Map<number, JournalProcess>();
  for (const line of lines) {
    if (isStarted(line)) processes.set(line.started.pid, line.started);
    else if (isEnded(line)) processes.delete(line.ended);
    else return undefined;
  }
  return { ...header, processes: [...processes.values()] };
}

function isHeader(value: unknown): value is JournalRecord {
  if (!isObject(value)) return false;
  const { version, owner, table, host } = value;
  return version === 1 && typeof owner === 'string' && typeof table === 'string' && isIdentity(host);
}

function isStarted(value: unknown): value is { readonly started: JournalProcess } {
  return isObject(value) && isJournalProcess(value.started);
}

function isEnded(value: unknown): value is { readonly ended: number } {
  return isObject(value) && isWhole(value.ended, { min: 2 });
}

function isJournalProcess(value: unknown): value is JournalProcess {
  // A server's process always leads its group, so two numbers that differ were written by somebody else.
  return isIdentity(value) && 'group' in value && value.group === value.pid && 'server' in value;
}

/** A negative number would signal a group, 0 our own, and -1 everybody; 1 is the system's first process. */
function isIdentity(value: unknown): value is ProcessIdentity {
  return isObject(value) && isWhole(value.pid, { min: 2 }) && isWhole(value.startTime, { min: 0 });
}

function isWhole(value: unknown, { min }: { min: number }): boolean {
  return Number.isSafeInteger(value) && (value as number) >= min;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
