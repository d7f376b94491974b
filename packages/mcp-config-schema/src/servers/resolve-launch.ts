import type { AuthReference } from '../config.js';
import type { ConfigPath } from '../issues.js';
import type { SecretValue } from '../schema/secret-value.js';
import type { DeclaredServer } from './declared-server.js';
import type { Expand } from './expand-in.js';
import { asVariable } from './secret-references.js';
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
  | {
      readonly transport: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly auth?: AuthReference;
    };

/** Resolves `command` or `url` with what belongs to it; `undefined` when something was reported. */
export function resolveLaunch(
  server: DeclaredServer,
  expand: Expand,
  { keepsVariables = false } = {},
): Launch | undefined {
  const faultsBefore = server.source.issues.length;
  const { url } = server.entry;
  const launch =
    url === undefined ? stdioLaunch(server, expand, keepsVariables) : httpLaunch(server, url, expand, keepsVariables);
  return server.source.issues.length === faultsBefore ? launch : undefined;
}

function stdioLaunch(server: DeclaredServer, expand: Expand, keepsVariables: boolean): Launch | undefined {
  const { path, entry } = server;
  const words = commandWords(server);
  const [command, ...args] = [
    ...words.map((word, index) => expand(word, commandPath(server, index))),
    ...(entry.args ?? []).map((argument, index) => expand(argument, [...path, 'args', index])),
  ];
  const env = expandValues(entry.env ?? {}, [...path, 'env'], expand, keepsVariables);
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

function httpLaunch(server: DeclaredServer, written: string, expand: Expand, keepsVariables: boolean): Launch {
  const { path, entry } = server;
  const faultsBefore = server.source.issues.length;
  const url = expand(written, [...path, 'url']);
  const isExpanded = server.source.issues.length === faultsBefore;
  if (isExpanded && !isHttpUrl(url) && !(keepsVariables && url.includes('${')))
    refuse(server, 'url', 'an http:// or https:// address');

  const headers = expandValues(entry.headers ?? {}, [...path, 'headers'], expand, keepsVariables);
  for (const [name, value] of Object.entries(headers)) {
    // Typically a variable that was read from a file together with its line end.
    if (/[\r\n\0]/.test(value)) refuse(server, 'headers', 'text without line ends', name);
  }
  return { transport: 'http', url, headers, ...(entry.auth === undefined ? {} : { auth: entry.auth }) };
}

function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** Without secret references, which are looked up only when somebody asks for their values. */
function expandValues(
  values: Readonly<Record<string, SecretValue>>,
  path: ConfigPath,
  expand: Expand,
  keepsVariables: boolean,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const text = typeof value === 'string' ? value : keepsVariables ? asVariable(value) : undefined;
      return text === undefined ? [] : [[name, expand(text, [...path, name])]];
    }),
  );
}

function refuse({ source, path, name }: DeclaredServer, key: string, expected: string, inner?: string): void {
  const subject = inner === undefined ? `The ${key} of server "${name}"` : `${inner} in the ${key} of server "${name}"`;
  const message = `${subject} must be ${expected}`;
  const place = inner === undefined ? [...path, key] : [...path, key, inner];
  source.report({ code: 'invalid-value', severity: 'error', message, expected }, place);
}
