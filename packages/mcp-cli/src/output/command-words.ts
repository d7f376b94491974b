import { serverFields } from '@x/internal/server-fields';

/** Options of library calls, and what a command or a config has in their place. */
const options = new Map<string, string>([
  ...Object.entries(serverFields).map(([name, { key }]) => [name, key] as const),
  ['timeoutMs', '--timeout'],
  ['idleTimeoutMs', '--timeout'],
]);

const approving =
  'run the command in a terminal, add --yes, or start the daemon with "mcpx up" and approve the call with "mcpx approvals"';

/** Advice of the libraries that only a program can follow, and what a user of mcpx does instead. */
const advice: readonly (readonly [library: string, mcpx: string])[] = [
  ['While the client manager is open, the server is', 'It is'],
  ["set commandPath: 'login-shell' if your terminal finds it, or ", 'add its directory to PATH, or '],
  ['Remove "disabled" from its entry or spec', 'Remove "disabled" from its entry'],
  ['; its spec allows ', '; its limit is '],
  ['the client manager\'s "auth" failed for it: ', ''],
  ['Call authorize() of the managed server', 'Run "mcpx login" for'],
  ['leave useRegex out to search', 'leave --regex out to search'],
  ['at most maxQueued, until', 'at most 10 000, until'],
  [', or use force', ', or use --force'],
  ["; load servers with variables: 'keep'", ''],
  ['; a program may also resolve the secrets first', ''],
  ['; a program may also allow the bridge (bridgeRemote)', ''],
  ['. A program may also write the value into user files (writeSecrets)', ''],
  ['add the text of manualSnippet by hand', 'add the server in the host app itself'],
  ['add its directory to allowedPlaces if that is intended', 'replace the link by a file inside it'],
  ['listHosts() returns all of them', '"mcpx sync --list" shows all of them'],
  ['without a project (place.project)', 'without a project'],
  ['use a client that supports elicitation, or let its operator add a way to approve calls', approving],
  ['shorten its arguments, or let its operator add a queue or function to approve calls', approving],
];

/** Replaces what only callers of the libraries have by options of mcpx and keys of the config. */
export function inCommandWords(message: string): string {
  const advised = advice.reduce((text, [library, mcpx]) => text.replaceAll(library, mcpx), message);
  return advised.replace(/"((?:[a-z]+\.)?[a-z]+[A-Z]\w*)"/g, (quoted, option: string) => options.get(option) ?? quoted);
}

/** The same for fields of data; `undefined` stays. */
export function fieldsInCommandWords<Fields extends object>(data: Fields, names: readonly (keyof Fields)[]): Fields {
  const words = names.flatMap((name) => {
    const value = data[name];
    return typeof value === 'string' ? [[name, inCommandWords(value)] as const] : [];
  });
  return { ...data, ...Object.fromEntries(words) };
}
