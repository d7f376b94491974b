import type { ConfigFile } from '../config-file.js';
import type { ConfigPath } from '../issues.js';
import type { McpServerEntry } from '../schema/mcp-servers-file.js';
import { nameOfPath } from '../schema/value-words.js';
import type { SourceText } from '../source/source-text.js';
import { hasSecretShape, isSecretName, isWrittenOut } from './secret-shapes.js';

/** Warns of secrets that are written into a file, where backups, version control and other programs find them. */
export function checkSecrets(files: readonly ConfigFile[]): void {
  for (const { source, section, servers } of files) {
    for (const [name, entry] of servers) {
      for (const { path, variable } of secretsOf(entry)) warn(source, [section, name, ...path], variable);
    }
  }
}

/** Where a secret stands in an entry, and under which name it could stand in the environment. */
interface InlineSecret {
  readonly path: ConfigPath;
  readonly variable: string;
}

function* secretsOf({ command, args = [], env = {}, url, headers = {} }: McpServerEntry): Iterable<InlineSecret> {
  for (const [key, values] of Object.entries({ env, headers })) {
    for (const [name, value] of Object.entries(values)) {
      if (typeof value !== 'string') continue; // a reference to where the secret is kept
      const isSecret = isSecretName(name) ? isWrittenOut(value) || hasSecretShape(value) : hasSecretShape(value);
      if (isSecret) yield { path: [key, name], variable: variableFor(name) };
    }
  }
  if (typeof command === 'string') {
    const flag = secretFlagIn(command.split(/\s+/));
    if (flag !== undefined || hasSecretShape(command)) yield { path: ['command'], variable: variableFor(flag?.name) };
  }
  for (const [key, words] of Object.entries({ command: typeof command === 'string' ? [] : (command ?? []), args })) {
    const flag = secretFlagIn(words);
    for (const [index, word] of words.entries()) {
      if (index === flag?.index) yield { path: [key, index], variable: variableFor(flag.name) };
      else if (hasSecretShape(word)) yield { path: [key, index], variable: variableFor() };
    }
  }
  if (url !== undefined && hasSecretInUrl(url)) yield { path: ['url'], variable: variableFor() };
}

/** The first word that is the value of an option such as `--token`, and the name of that option. */
function secretFlagIn(words: readonly string[]): { readonly index: number; readonly name: string } | undefined {
  for (const [index, word] of words.entries()) {
    const [, name, value] = /^--?([\w-]{2,80})(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined || !isSecretName(name)) continue;
    if (value !== undefined ? isWrittenOut(value) : isOptionValue(words[index + 1])) {
      return { index: value === undefined ? index + 1 : index, name };
    }
  }
  return undefined;
}

function isOptionValue(word: string | undefined): boolean {
  return word !== undefined && !word.startsWith('-') && isWrittenOut(word);
}

/** A password before the host, a parameter such as `api_key`, or a key of a known shape anywhere. */
function hasSecretInUrl(url: string): boolean {
  const password = /^[a-z]+:\/\/[^/?#@]*:([^/?#@]*)@/i.exec(url)?.[1];
  if (password !== undefined && password !== '' && !/^(\$\{|\{\{)/.test(password)) return true;
  const query = url.split('#')[0]?.split('?')[1] ?? '';
  const parameters = query.split('&').map((parameter) => parameter.split('='));
  return hasSecretShape(url) || parameters.some(([name = '', value = '']) => isSecretName(name) && isWrittenOut(value));
}

function variableFor(name = 'TOKEN'): string {
  return name.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase();
}

/** The value itself is never part of the message. */
function warn(source: SourceText, path: ConfigPath, variable: string): void {
  const message = `${nameOfPath(path)} holds a secret in plain text`;
  const hint = `take it out of the file: set the environment variable ${variable} and write \${${variable}} here`;
  source.report({ code: 'inline-secret', severity: 'warning', message, hint }, path);
}
