import {
  isNamedSecret,
  isStandIn,
  literalsOf,
  secretIn,
  secretsIn,
  secretsInWords,
  shortestHidden,
} from '@x/internal/secrets';
import type { TextRange } from '@x/internal/text';
import { type ConfigFile, configuredServers } from '../config-file.js';
import type { ConfigPath } from '../issues.js';
import type { McpServerEntry } from '../schema/server-files.js';
import { nameOfPath } from '../schema/values.js';
import { splitTemplate } from '../servers/split-template.js';
import type { SourceText } from '../source/source-text.js';

export function checkSecrets(files: readonly ConfigFile[]): void {
  for (const { source, section, serverParts } of files) {
    for (const [name, entry] of serverParts) {
      for (const { path, variable } of inlineSecretsOf(entry)) warn(source, [section, name, ...path], variable);
    }
  }
}

/** The message must not contain the value. */
function warn(source: SourceText, path: ConfigPath, variable: string): void {
  const message = `${nameOfPath(path)} contains a secret in plain text`;
  const hint = `remove it from the file: set the environment variable ${variable} and write \${${variable}} here`;
  source.report({ code: 'inline-secret', severity: 'warning', message, hint }, path);
}

interface InlineSecret {
  readonly path: ConfigPath;
  readonly variable: string;
  readonly texts: readonly SecretText[];
}

interface SecretText {
  readonly text: string;
  /** True if the text is the secret; false if it contains one. */
  readonly isWhole: boolean;
}

function* inlineSecretsOf(entry: McpServerEntry): Iterable<InlineSecret> {
  const { command, args = [], env = {}, url, headers = {} } = entry;
  for (const [key, values] of Object.entries({ env, headers })) {
    for (const [name, text] of Object.entries(values)) {
      if (typeof text !== 'string') continue; // a reference to a secret
      const isWhole = isNamedSecret(name, text, key === 'headers' ? 'header' : 'field');
      if (isWhole || secretIn(text)) {
        yield { path: [key, name], variable: variableFor(name), texts: [{ text, isWhole }] };
      }
    }
  }
  if (typeof command === 'string') {
    const texts = secretsInWords(wordsOf(command));
    if (texts[0] !== undefined) yield { path: ['command'], variable: variableFor(texts[0].name), texts };
  }
  for (const [key, words] of Object.entries({ command: typeof command === 'string' ? [] : (command ?? []), args })) {
    for (const word of secretsInWords(words)) {
      yield { path: [key, word.index], variable: variableFor(word.name), texts: [word] };
    }
  }
  if (url !== undefined) {
    const found = secretIn(url);
    const texts = [{ text: url, isWhole: false }];
    if (found !== undefined) yield { path: ['url'], variable: variableFor(found.name), texts };
  }
}

export interface InlineSecrets {
  /** Values to redact everywhere. Excludes server names: redacting those would reveal the password. */
  readonly values: ReadonlySet<string>;
  /** Positions of secrets that are escaped, folded or split over lines, by text. */
  readonly places: ReadonlyMap<string, readonly TextRange[]>;
}

export function inlineSecretsIn(files: readonly ConfigFile[]): InlineSecrets {
  const values = new Set<string>();
  const places = new Map<string, TextRange[]>();
  for (const { source, section, serverParts } of files) {
    const ranges: TextRange[] = [];
    for (const [name, entry] of serverParts) {
      for (const { path, texts } of inlineSecretsOf(entry)) {
        const found = texts.flatMap(valuesOf);
        for (const value of found) values.add(value);
        const range = source.rangeOf([section, name, ...path]);
        if (range !== undefined && !isVerbatim(found, source.original.slice(range.start, range.end)))
          ranges.push(range);
      }
    }
    if (ranges.length > 0) places.set(source.original, [...(places.get(source.original) ?? []), ...ranges]);
  }
  if (values.size > 0) for (const name of configuredServers(files)) values.delete(name);
  return { values, places };
}

function isVerbatim(values: readonly string[], written: string): boolean {
  return values.every((value) => value.length >= shortestHidden && written.includes(value));
}

function valuesOf({ text, isWhole }: SecretText): readonly string[] {
  // The value after a name may end at a comma or include it.
  const held = Array.from(secretsIn(text), ({ name, start, end }) =>
    name === undefined ? [text.slice(start, end)] : [text.slice(start, end), text.slice(start)],
  );
  return (isWhole ? [text] : held.flat())
    .flatMap(literalsOf)
    .map((literal) => literal.replace(/^["']|["']$/g, ''))
    .filter((value) => value !== '' && !isStandIn(value));
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
