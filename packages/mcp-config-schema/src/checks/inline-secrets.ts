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
import type { ConfigFile } from '../config-file.js';
import type { ConfigPath } from '../issues.js';
import type { McpServerEntry } from '../schema/mcp-servers-file.js';
import { splitTemplate } from '../servers/split-template.js';
import { configuredServers } from './server-names.js';

/** One value of an entry with secrets that are written into it. */
export interface InlineSecret {
  readonly path: ConfigPath;
  /** The name under which it could stand in the environment. */
  readonly variable: string;
  readonly texts: readonly SecretText[];
}

interface SecretText {
  readonly text: string;
  /** The text is the secret; else it holds one. */
  readonly isWhole: boolean;
}

export function* inlineSecretsOf(entry: McpServerEntry): Iterable<InlineSecret> {
  const { command, args = [], env = {}, url, headers = {} } = entry;
  for (const [key, values] of Object.entries({ env, headers })) {
    for (const [name, text] of Object.entries(values)) {
      if (typeof text !== 'string') continue; // a reference to where the secret is kept
      const isWhole = isNamedSecret(name, text);
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

/** The secrets that are written into files, as they are to be hidden. */
export interface InlineSecrets {
  /**
   * Wherever they turn up. The name of a server is none: hidden everywhere, it would say what the password is.
   */
  readonly values: ReadonlySet<string>;
  /** By text, the places of those that are written in another way than they read: folded, escaped, on several lines. */
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

/** Whether a value is found in the text by looking for it. */
function isVerbatim(values: readonly string[], written: string): boolean {
  return values.every((value) => value.length >= shortestHidden && written.includes(value));
}

function valuesOf({ text, isWhole }: SecretText): readonly string[] {
  // What stands behind a name is its value, but a comma may be part of it as well as its end.
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
