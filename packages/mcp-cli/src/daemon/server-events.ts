import { printableLine } from '../output/print.js';
import { onServerEvent, type WatchedServers } from '../servers/server-events.js';

const maxNameLength = 130;
const maxDetailLength = 500;

/** Writes a line for each event of a server. */
export function logServerEvents(stack: WatchedServers, log: (line: string) => void): Disposable {
  return onServerEvent(stack, ({ server, kind, detail = '' }) => {
    const name = JSON.stringify(printableLine(server, maxNameLength));
    log(`server ${name} ${kind}${detail === '' ? '' : `: ${printableLine(detail, maxDetailLength)}`}`);
  });
}
