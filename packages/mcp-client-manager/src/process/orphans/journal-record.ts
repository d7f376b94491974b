import { parseJson } from '@x/internal/json';

export interface JournalRecord {
  readonly version: 1;
  readonly owner: string;
  /** Boot and pid namespace. */
  readonly table: string;
  readonly host: ProcessIdentity;
  readonly processes: readonly JournalProcess[];
}

interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: number;
}

export interface JournalProcess extends ProcessIdentity {
  readonly group: number;
  readonly server: string;
}

const ownerShape = /^[1-9]\d{0,9}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function journalFileName(owner: string): string {
  return `${owner}.json`;
}

export function ownerOfFile(name: string): string | undefined {
  const owner = name.endsWith('.json') ? name.slice(0, -'.json'.length) : '';
  return ownerShape.test(owner) ? owner : undefined;
}

/** The first line is a record without processes. */
export type JournalLine = { readonly started: JournalProcess } | { readonly ended: number };

/** `undefined` for content that no manager writes, which must not be trusted. */
export function parseJournal(text: string, owner: string): JournalRecord | undefined {
  // A killed owner may leave an unfinished last line.
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
  // A server's process leads its group.
  return isIdentity(value) && 'group' in value && value.group === value.pid && 'server' in value;
}

/** A negative pid would signal a group, 0 the own group, -1 all processes; 1 is the init process. */
function isIdentity(value: unknown): value is ProcessIdentity {
  return isObject(value) && isWhole(value.pid, { min: 2 }) && isWhole(value.startTime, { min: 0 });
}

function isWhole(value: unknown, { min }: { min: number }): boolean {
  return Number.isSafeInteger(value) && (value as number) >= min;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
