import { checkConfig } from '@x/mcp-config-schema';
import { UsageError } from '../command.js';
import type { ServerEntry } from './host-entry.js';

export type TransportWord = 'stdio' | 'http' | 'sse';

/** A server as described on the command line. */
export interface EntryWords {
  /** A URL, or a command with its arguments. */
  readonly target: readonly string[];
  /** `NAME=value`, or `NAME` for a variable of the same name. */
  readonly env?: readonly string[] | undefined;
  /** `Name: value`. */
  readonly header?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly transport?: TransportWord | undefined;
}

/** @throws {UsageError} The words do not describe one server. */
export function writtenEntry({ target, env = [], header = [], cwd, transport }: EntryWords): ServerEntry {
  const [first = '', ...args] = target;
  const isUrl = /^https?:\/\//i.test(first);
  if (isUrl) {
    if (args.length > 0) throw new UsageError(`A server at a URL has no arguments, got "${args.join(' ')}".`);
    if (transport === 'stdio') throw new UsageError('A server at a URL has no transport "stdio". Use http or sse.');
    if (cwd !== undefined || env.length > 0) {
      throw new UsageError('A server at a URL has no --cwd and no --env, because mcpx starts no process.', {
        hint: 'Use --header "Authorization: Bearer ..." for its token.',
      });
    }
    return { url: first, ...filled('headers', header.map(headerOf)) };
  }
  if (/^\w+:\/\//.test(first)) throw new UsageError(`"${first}" is not an http:// or https:// URL.`);
  if (transport !== undefined && transport !== 'stdio') {
    throw new UsageError(`The transport "${transport}" needs a URL, got the command "${first}".`);
  }
  if (header.length > 0) throw new UsageError('A command has no headers. Use --env for its variables.');
  return {
    ...commandOf(first, args),
    ...filled('env', env.map(variableOf)),
    ...(cwd !== undefined && { cwd }),
  };
}

/** One word with spaces is split like a `command` in a config. */
function commandOf(first: string, args: readonly string[]): ServerEntry {
  // Without "args" the command would be split like a shell command.
  if (/^[\w@%+=:,./-]+$/.test(first) && args.length === 0) return { command: first };
  if (args.length > 0 || !/\s/.test(first)) return { command: first, args };
  const text = JSON.stringify({ mcp_servers: { x: { command: first } } });
  const [server] = checkConfig({ text }, { variables: 'keep' }).config?.servers ?? [];
  if (server?.transport === 'stdio') return { command: server.command, args: server.args };
  throw new UsageError(`The command "${first}" cannot be split into words.`, {
    hint: 'Write each word for itself behind --, such as: mcpx add files -- npx -y files-mcp',
  });
}

function variableOf(text: string): readonly [string, string] {
  const [, name, value] = /^([^=\0]+?)(?:=([\s\S]*))?$/.exec(text) ?? [];
  if (name !== undefined) return [name, value ?? `\${${name}}`];
  throw new UsageError(`--env "${text.slice(0, 40)}" must have the form NAME=value, or NAME.`);
}

function headerOf(text: string): readonly [string, string] {
  const [, name, value] = /^([^:=\s]+)\s*[:=]\s*([\s\S]*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new UsageError(`--header "${text.slice(0, 20)}" must have the form "Name: value".`);
}

/** Values of `--env` or `--header` by name. */
export function namedValues(key: 'env' | 'headers', words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(words.map(key === 'env' ? variableOf : headerOf));
}

function filled(key: 'env' | 'headers', pairs: readonly (readonly [string, string])[]): ServerEntry {
  return pairs.length === 0 ? {} : { [key]: Object.fromEntries(pairs) };
}

/** Variables that an entry names without a default value. */
export function variablesIn(entry: unknown): readonly string[] {
  const found = JSON.stringify(entry).matchAll(/(\$?)\$\{([A-Za-z_]\w*)\}/g);
  return [...new Set(Array.from(found, ([, escaped, name = '']) => (escaped === '' ? name : '')))].filter(Boolean);
}
