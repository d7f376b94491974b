import { serverFields } from '@x/internal/server-fields';

/** Options of the library as people who run commands and write configs know them. */
const names = new Map<string, string>([
  ...Object.entries(serverFields).map(([name, { key }]) => [name, key] as const),
  ['timeoutMs', '--timeout'],
]);

/** A message of the library, which names its options and what holds the servers, as a command tells it. */
export function inOurWords(message: string): string {
  const ofDaemon = message.replace(/While the client manager is open, the server is/, 'It is');
  return ofDaemon.replace(/"([a-z]+[A-Z]\w*)"/g, (quoted, option: string) => names.get(option) ?? quoted);
}
