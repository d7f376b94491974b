import { join } from 'node:path';
import { processTableId, runningProcesses } from '../process-table.js';
import { journalDirectory } from './journal.js';
import { ownerOfFile } from './journal-record.js';
import { findOrphans, isOver, namesIn, readJournal } from './reap.js';

/** A process that was started for a server by a host that is gone. */
export interface OrphanedProcess {
  readonly pid: number;
  /** Name of the server, as the host called it. */
  readonly server: string;
  /** Process id that the host had. */
  readonly hostPid: number;
}

/**
 * What hosts left behind that were killed together with their guardians, by their journals in a state directory. Ends
 * nothing: the next manager with that state directory does. Only Linux tells; elsewhere nothing is found.
 *
 * @param stateDirectory - As the manager's option. One that does not exist holds nothing.
 */
export async function findOrphanedProcesses(stateDirectory: string): Promise<readonly OrphanedProcess[]> {
  const table = processTableId();
  if (table === undefined) return [];
  const directory = journalDirectory(stateDirectory);
  const found: OrphanedProcess[] = [];
  for (const name of await namesIn(directory)) {
    const owner = ownerOfFile(name);
    const journal = owner === undefined ? 'gone' : await readJournal(join(directory, name), owner);
    // Numbers of another boot or another container are nobody's here.
    if (journal === 'gone' || journal === 'malformed' || journal.table !== table || !isOver(journal, table)) continue;
    const servers = new Map(journal.processes.map(({ group, server }) => [group, server]));
    for (const { pid, group } of findOrphans(journal, runningProcesses())) {
      found.push({ pid, server: servers.get(group) ?? '', hostPid: journal.host.pid });
    }
  }
  return found;
}
