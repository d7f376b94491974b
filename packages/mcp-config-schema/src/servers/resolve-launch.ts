import type { ConfigPath } from '../issues.js';
import type { DeclaredServer } from './declared-server.js';
import type { Expand } from './expand-in.js';
import { splitCommand } from './split-command.js';

/** How a server is reached: what is left of an entry once commands are split and templates expanded. */
export type Launch =
  | {
      readonly transport: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | { readonly transport: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** Resolves `command` or `url` with what belongs to it; `undefined` when something was reported. */
export function resolveLaunch(server: DeclaredServer, expand: Expand): Launch | undefined {
  const faultsBefore = server.source.issues.length;
  const launch =
    server.entry.url === undefined ? stdioLaunch(server, expand) : httpLaunch(server, server.entry.url, expand);
  return server.source.issues.length === faultsBefore ? launch : undefined;
}

function stdioLaunch(server: DeclaredServer, expand: Expand): Launch | undefined {
  const { path, entry } = server;
  const words = commandWords(server);
  const [command, ...args] = [
    ...words.map((word, index) => expand(word, commandPath(server, index))),
    ...(entry.args ?? []).map((argument, index) => expand(argument, [...path, 'args', index])),
  ];
  const env = expandValues(entry.env ?? {}, [...path, 'env'], expand);
  const cwd = entry.cwd === undefined ? {} : { cwd: expand(entry.cwd, [...path, 'cwd']) };
  if (command === undefined || command.trim() === '') {
    if (words.length > 0) refuse(server, 'command', 'a command that is not empty once its variables are filled in');
    return undefined;
  }
  return { transport: 'stdio', command, args, env, ...cwd };
}

function commandWords(server: DeclaredServer): readonly string[] {
  const { command, args } = server.entry;
  if (typeof command !== 'string') return command ?? [];
  if (args !== undefined) return [command];

  const split = splitCommand(command);
  if ('words' in split) return split.words;
  refuse(server, 'command', `a command line that a shell could read; this one ${split.problem}`);
  return [];
}

/** The list item if the command is a list, or else the command as a whole. */
function commandPath({ path, entry }: DeclaredServer, index: number): ConfigPath {
  return typeof entry.command === 'string' ? [...path, 'command'] : [...path, 'command', index];
}

function httpLaunch(server: DeclaredServer, written: string, expand: Expand): Launch {
  const { path, entry } = server;
  const faultsBefore = server.source.issues.length;
  const url = expand(written, [...path, 'url']);
  const isExpanded = server.source.issues.length === faultsBefore;
  if (isExpanded && !isHttpUrl(url)) refuse(server, 'url', 'an http:// or https:// address');

  const headers = expandValues(entry.headers ?? {}, [...path, 'headers'], expand);
  for (const [name, value] of Object.entries(headers)) {
    // Typically a variable that was read from a file together with its line end.
    if (/[\r\n\0]/.test(value)) refuse(server, 'headers', 'text without line ends', name);
  }
  return { transport: 'http', url, headers };
}

function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function expandValues(
  values: Readonly<Record<string, string>>,
  path: ConfigPath,
  expand: Expand,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, expand(value, [...path, name])]));
}

function refuse({ source, path, name }: DeclaredServer, key: string, expected: string, inner?: string): void {
  const subject = inner === undefined ? `The ${key} of server "${name}"` : `${inner} in the ${key} of server "${name}"`;
  const message = `${subject} must be ${expected}`;
  const place = inner === undefined ? [...path, key] : [...path, key, inner];
  source.report({ code: 'invalid-value', severity: 'error', message, expected }, place);
}
