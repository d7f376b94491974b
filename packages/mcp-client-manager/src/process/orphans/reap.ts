import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  hasEnvironmentEntry,
  isRunning,
  type ProcessEntry,
  processEntry,
  processTableId,
  runningProcesses,
} from '@x/internal/processes';
import { ownerVariable } from '../child-environment.js';
import { journalDirectory } from './journal.js';
import { type JournalProcess, type JournalRecord, ownerOfFile, parseJournal } from './journal-record.js';

const maxJournalBytes = 4 * 1_024 * 1_024;
/** Wait after SIGKILL. Only a process stuck in the kernel needs longer. */
const killGraceMs = 2_000;
const pollMs = 20;
/** Malformed and unfinished journals are kept a week for inspection. */
const asideMs = 7 * 24 * 60 * 60 * 1_000;

interface ReapOptions {
  readonly directory: string;
  readonly onProblem: (message: string) => void;
}

/**
 * Ends processes left by owners that were killed together with their guardians. Kills a process only if its pid, start
 * time, boot and owner marker match the journal and its owner has ended.
 *
 * @returns The killed pids. Never rejects.
 */
export async function reapOrphans({ directory, onProblem }: ReapOptions): Promise<readonly number[]> {
  const table = processTableId();
  if (table === undefined) return [];
  const killed: number[] = [];
  for (const name of await namesIn(directory)) {
    const owner = ownerOfFile(name);
    const path = join(directory, name);
    if (owner === undefined) {
      await removeOld(name, path);
      continue;
    }
    const journal = await readJournal(path, owner);
    if (journal === 'gone') continue;
    if (journal === 'malformed') {
      await rename(path, `${path}.malformed`).catch(() => undefined);
      onProblem(`The process journal ${path} is malformed. It was set aside and not followed.`);
    } else if (isOver(journal, table)) {
      killed.push(...(await endAll(journal, path)));
    }
  }
  return killed;
}

async function removeOld(name: string, path: string): Promise<void> {
  const original = name.replace(/\.(malformed|new)$/, '');
  if (original === name || ownerOfFile(original) === undefined) return;
  const { mtimeMs } = await lstat(path).catch(() => ({ mtimeMs: Date.now() }));
  if (Date.now() - mtimeMs > asideMs) await rm(path, { force: true }).catch(() => undefined);
}

/** True if the owner has ended. False for other containers, which cannot be judged here. */
function isOver({ table, host }: JournalRecord, ownTable: string): boolean {
  const [boot] = table.split(' ');
  const [ownBoot] = ownTable.split(' ');
  if (boot !== ownBoot) return true;
  if (table !== ownTable) return false;
  const entry = processEntry(host.pid);
  return entry === undefined || !isRunning(entry) || entry.startTime !== host.startTime;
}

/** Searches again after each kill: a killed process may have started another just before. */
async function endAll(journal: JournalRecord, path: string): Promise<Iterable<number>> {
  const isHere = journal.table === processTableId();
  const find = (): ProcessEntry[] => (isHere ? findOrphans(journal, runningProcesses()) : []);
  const killed = new Set<number>();
  const deadline = performance.now() + killGraceMs;
  for (let orphans = find(); orphans.length > 0; orphans = find()) {
    if (performance.now() > deadline) return killed;
    for (const { pid } of orphans) {
      kill(pid);
      killed.add(pid);
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  await rm(path, { force: true }).catch(() => undefined);
  return killed;
}

/**
 * Includes groups without their leader: a wrapper may have exited before its child. The system does not reuse the
 * number of a group with processes.
 */
export function findOrphans(
  { owner, processes }: JournalRecord,
  running: readonly ProcessEntry[],
  hasEntry: (pid: number, entry: string) => boolean = hasEnvironmentEntry,
): ProcessEntry[] {
  const journaled = new Map(processes.map((process) => [process.group, process]));
  const leaders = new Map(running.map((entry) => [entry.pid, entry]));
  return running.filter((entry) => {
    const written = journaled.get(entry.group);
    return (
      written && isOf(written, entry, leaders.get(written.pid)) && hasEntry(entry.pid, `${ownerVariable}=${owner}`)
    );
  });
}

function isOf(written: JournalProcess, entry: ProcessEntry, leader: ProcessEntry | undefined): boolean {
  if (leader && leader.startTime !== written.startTime) return false;
  return entry.session === written.group && entry.startTime >= written.startTime;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch {
    return [];
  }
}

/** Trusts no links, and no files that others may write. */
async function readJournal(path: string, owner: string): Promise<JournalRecord | 'malformed' | 'gone'> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'gone' : 'malformed';
  }
  try {
    const stat = await file.stat();
    const isOurs = stat.isFile() && (stat.mode & 0o022) === 0 && stat.uid === process.getuid?.();
    if (!isOurs || stat.size > maxJournalBytes) return 'malformed';
    return parseJournal(await file.readFile('utf8'), owner) ?? 'malformed';
  } catch {
    return 'malformed';
  } finally {
    await file.close();
  }
}

/** A server process whose owner has ended. */
export interface OrphanedProcess {
  readonly pid: number;
  /** Its name in the owner's config. */
  readonly server: string;
  /** Process id of the owner. */
  readonly hostPid: number;
}

/**
 * Lists processes left by owners that were killed together with their guardians. Ends none: the next manager with that
 * state directory does. Empty except on Linux.
 *
 * @param stateDirectory - See the manager's option. A missing one has no journals.
 */
export async function findOrphanedProcesses(stateDirectory: string): Promise<readonly OrphanedProcess[]> {
  const table = processTableId();
  if (table === undefined) return [];
  const directory = journalDirectory(stateDirectory);
  const found: OrphanedProcess[] = [];
  for (const name of await namesIn(directory)) {
    const owner = ownerOfFile(name);
    const journal = owner === undefined ? 'gone' : await readJournal(join(directory, name), owner);
    if (journal === 'gone' || journal === 'malformed' || journal.table !== table || !isOver(journal, table)) continue;
    const servers = new Map(journal.processes.map(({ group, server }) => [group, server]));
    for (const { pid, group } of findOrphans(journal, runningProcesses())) {
      found.push({ pid, server: servers.get(group) ?? '', hostPid: journal.host.pid });
    }
  }
  return found;
}
