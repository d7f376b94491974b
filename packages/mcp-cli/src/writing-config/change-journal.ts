import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '@x/internal/files';
import { isRecord } from '@x/internal/json';
import type { OwnedFile } from '@x/mcp-host-sync/edit';

/** A change that `mcpx` made to files of the user, with their content before and after. */
export interface RecordedChange extends NewChange {
  readonly id: number;
  /** ISO 8601. */
  readonly at: string;
}

export interface NewChange {
  /** Words of the command, such as `add files`. */
  readonly command: string;
  /** Directory that the command ran in. */
  readonly directory: string;
  readonly files: readonly ChangedFile[];
  /** The change that this one took back. */
  readonly undoes?: number | undefined;
  readonly bundle?: BundleChange | undefined;
}

/** What a change did with the folder of an MCP bundle. */
export interface BundleChange {
  /** Name of the folder. */
  readonly folder: string;
  /** Absolute path of the `.mcpb` file. */
  readonly file: string;
  readonly did: 'unpack' | 'remove';
}

export interface ChangedFile {
  /** Absolute. */
  readonly file: string;
  /** `null`: there was no file. */
  readonly before: string | null;
  readonly after: string | null;
  /** Record of entries in a file of a host app. */
  readonly record?: { readonly before: OwnedFile | null; readonly after: OwnedFile | null } | undefined;
}

const bounds = { changes: 50, bytes: 20_000_000 };

/**
 * Stores a change, readable by this user alone. Deletes the oldest ones beyond 50 changes or 20 MB.
 *
 * @returns Its number.
 */
export async function recordChange(stateDirectory: string, change: NewChange): Promise<number> {
  const folder = folderIn(stateDirectory);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const present = await numbersIn(folder);
  const text = JSON.stringify({ at: new Date().toISOString(), ...change });
  let id = present.at(-1) ?? 0;
  let isWritten = false;
  while (!isWritten) isWritten = await create(pathOf(folder, ++id), text);
  await removeOldest(folder, [...present, id]);
  return id;
}

/** False if another process has taken the number. */
async function create(path: string, text: string): Promise<boolean> {
  try {
    await using file = await open(path, 'wx', 0o600);
    await file.writeFile(text);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function removeOldest(folder: string, numbers: readonly number[]): Promise<void> {
  let bytes = 0;
  for (const [index, number] of numbers.toReversed().entries()) {
    const path = pathOf(folder, number);
    bytes += (await stat(path).catch(() => ({ size: 0 }))).size;
    const isOverBound = index >= bounds.changes || bytes > bounds.bytes;
    if (isOverBound && index > 0) await rm(path, { force: true });
  }
}

/** Oldest first. Leaves out files that are damaged. */
export async function recordedChanges(stateDirectory: string | undefined): Promise<readonly RecordedChange[]> {
  if (stateDirectory === undefined) return [];
  const folder = folderIn(stateDirectory);
  const changes = await Promise.all((await numbersIn(folder)).map((id) => readChange(folder, id)));
  return changes.flatMap((change) => change ?? []);
}

async function readChange(folder: string, id: number): Promise<RecordedChange | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(pathOf(folder, id), 'utf8'));
    return isRecord(value) && Array.isArray(value.files) ? ({ ...value, id } as unknown as RecordedChange) : undefined;
  } catch {
    return undefined; // deleted meanwhile, or cut off by a full disk
  }
}

/** Changes that are in effect: neither taken back nor the taking back of another. */
export function undoable(changes: readonly RecordedChange[]): readonly RecordedChange[] {
  const undone = new Set<number>();
  // A later undo decides first, because it may take back an earlier undo.
  for (const { id, undoes } of changes.toReversed()) if (undoes !== undefined && !undone.has(id)) undone.add(undoes);
  return changes.filter(({ id, undoes }) => undoes === undefined && !undone.has(id));
}

async function numbersIn(folder: string): Promise<readonly number[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .map((name) => Number(/^(\d+)\.json$/.exec(name)?.[1]))
    .filter(Number.isInteger)
    .toSorted((a, b) => a - b);
}

function folderIn(stateDirectory: string): string {
  return join(stateDirectory, 'changes');
}

function pathOf(folder: string, id: number): string {
  return join(folder, `${String(id).padStart(6, '0')}.json`);
}
