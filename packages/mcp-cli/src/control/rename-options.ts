import { serverFields } from '@x/internal/server-fields';

const names = new Map<string, string>([
  ...Object.entries(serverFields).map(([name, { key }]) => [name, key] as const),
  ['timeoutMs', '--timeout'],
]);

/** Replaces names of library options in a message with those of the command line and the config. */
export function renameOptions(message: string): string {
  const ofDaemon = message.replace(/While the client manager is open, the server is/, 'It is');
  return ofDaemon.replace(/"([a-z]+[A-Z]\w*)"/g, (quoted, option: string) => names.get(option) ?? quoted);
}
