import { processesByEntry } from '../process-table.js';

const wanted = new Set<string>();
let scanning: Promise<ReadonlyMap<string, readonly number[]>> | undefined;

/**
 * The processes that carry `entry` (`NAME=value`) in their environment. Asked after a server's group is gone, these are
 * what has left the group. Linux only; elsewhere always empty. Everybody who asks in one turn shares one look at the
 * table of processes, since a manager with many servers stops them together.
 */
export async function findEscaped(entry: string): Promise<readonly number[]> {
  if (process.platform !== 'linux') return [];
  wanted.add(entry);
  scanning ??= new Promise((resolve) => {
    setImmediate(() => {
      scanning = undefined;
      const entries = new Set(wanted);
      wanted.clear();
      resolve(processesByEntry(entries));
    });
  });
  return (await scanning).get(entry) ?? [];
}
