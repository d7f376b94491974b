import type { ConfigFile } from '../config-file.js';
import type { ConfigPath } from '../issues.js';
import type { McpServerEntry } from '../schema/mcp-servers-file.js';
import { nameOfPath } from '../schema/value-words.js';
import { splitTemplate } from '../servers/split-command.js';
import type { SourceText } from '../source/source-text.js';
import { isNamedSecret } from './secret-shapes.js';
import { secretIn, secretsInWords } from './secret-texts.js';

/** Warns of secrets that are written into a file, where backups, version control and other programs find them. */
export function checkSecrets(files: readonly ConfigFile[]): void {
  for (const { source, section, serverParts } of files) {
    for (const [name, entry] of serverParts) {
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
      if (isNamedSecret(name, value) || secretIn(value)) yield { path: [key, name], variable: variableFor(name) };
    }
  }
  if (typeof command === 'string') {
    const [found] = secretsInWords(wordsOf(command));
    if (found !== undefined) yield { path: ['command'], variable: variableFor(found.name) };
  }
  for (const [key, words] of Object.entries({ command: typeof command === 'string' ? [] : (command ?? []), args })) {
    for (const { index, name } of secretsInWords(words)) yield { path: [key, index], variable: variableFor(name) };
  }
  if (url !== undefined) {
    const found = secretIn(url);
    if (found !== undefined) yield { path: ['url'], variable: variableFor(found.name) };
  }
}

function wordsOf(command: string): readonly string[] {
  const split = splitTemplate(command);
  return 'words' in split ? split.words : command.split(/\s+/);
}

function variableFor(name = 'TOKEN'): string {
  return name
    .replace(/^-+/, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
}

/** The value itself is never part of the message. */
function warn(source: SourceText, path: ConfigPath, variable: string): void {
  const message = `${nameOfPath(path)} holds a secret in plain text`;
  const hint = `take it out of the file: set the environment variable ${variable} and write \${${variable}} here`;
  source.report({ code: 'inline-secret', severity: 'warning', message, hint }, path);
}
