import { join } from 'node:path';
import { processTableId, runningProcesses } from '../process-table.js';
import { journalDirectory } from './journal.js';
import { ownerOfFile } from './journal-record.js';
import { findOrphans, isOver, namesIn, readJournal } from './reap.js';

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
