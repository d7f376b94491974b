import JSON5 from 'json5';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import type { DocumentShape } from '../../../src/edit/document.js';
import { jsonText } from './json-text.js';
import { tomlText } from './toml-text.js';
import type { DocumentOptions, MadeUpDocument, Tree } from './tree.js';
import { yamlText } from './yaml-text.js';

/** A form of keeping servers in a file, with a generator for files of that kind. */
export interface DialectCase {
  readonly title: string;
  readonly shape: DocumentShape;
  readonly document: DocumentOptions;
  readonly hasNull: boolean;
  write(made: MadeUpDocument, choices: readonly number[]): string;
  /** The text as read by another reader of the dialect. */
  readElsewhere(text: string): unknown;
}

const raw = (text: string): Tree => ({ kind: 'raw', text });
const emptyMap: Tree = { kind: 'map', entries: [] };
const emptyList: Tree = { kind: 'list', items: [] };

const jsonNumbers = ['1', '1.0', '-0', '1e3', '90071992547409931', 'null'];
const yamlNumbers = ['1', '1.0', '-0', '1e3', '0x1F', '90071992547409931', '.inf', 'null', '~', ''];
const tomlNumbers = ['1', '1.0', '-0', '1e3', '0x1F', '1_000', '90071992547409931', 'inf', '1979-05-27', '07:32:00'];

const jsonCase = (
  dialect: 'json' | 'json-comments' | 'jsonc',
  keyPath: readonly string[],
  collection: 'map' | 'sequence-by-name' = 'map',
): DialectCase => ({
  title: `${dialect}, ${collection} at ${keyPath.join(' › ')}`,
  shape: { dialect, keyPath, collection },
  document: { keyPath, collection, numbers: jsonNumbers, blanks: [raw('null'), emptyMap, emptyList] },
  hasNull: true,
  write: ({ tree }, choices) =>
    jsonText(tree, choices, { comments: dialect !== 'json', trailingCommas: dialect === 'jsonc' }),
  // JSON5 prints a warning for each line separator in a text.
  readElsewhere:
    dialect === 'json'
      ? JSON.parse
      : (text) => JSON5.parse(text.replace(/[\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`)),
});

const yamlCase = (keyPath: readonly string[], collection: 'map' | 'sequence-by-name'): DialectCase => ({
  title: `yaml, ${collection} at ${keyPath.join(' › ')}`,
  shape: { dialect: 'yaml', keyPath, collection },
  document: {
    keyPath,
    collection,
    numbers: yamlNumbers,
    blanks: [raw(''), raw('null'), raw('~'), emptyMap, emptyList],
  },
  hasNull: true,
  write: ({ tree }, choices) => yamlText(tree, choices),
  readElsewhere: (text) => parseYaml(text, { logLevel: 'silent' }),
});

const tomlCase = (collection: 'map' | 'sequence-by-name', blank: Tree): DialectCase => ({
  title: `toml, ${collection} at mcp_servers`,
  shape: { dialect: 'toml', keyPath: ['mcp_servers'], collection },
  document: { keyPath: ['mcp_servers'], collection, numbers: tomlNumbers, blanks: [blank] },
  hasNull: false,
  write: ({ tree }, choices) => tomlText(tree, choices),
  readElsewhere: (text) => withoutBigInts(parseToml(text, { integersAsBigInt: true })),
});

export const dialectCases: readonly DialectCase[] = [
  jsonCase('json', ['mcpServers']),
  jsonCase('json', ['projects', '/srv/app', 'mcpServers']),
  jsonCase('json-comments', ['mcpServers']),
  jsonCase('jsonc', ['amp.mcpServers']),
  jsonCase('jsonc', ['mcp', 'servers']),
  jsonCase('jsonc', ['mcpServers'], 'sequence-by-name'),
  yamlCase(['extensions'], 'map'),
  yamlCase(['mcp', 'servers'], 'map'),
  yamlCase(['mcpServers'], 'sequence-by-name'),
  tomlCase('map', emptyMap),
  tomlCase('sequence-by-name', emptyList),
];

function withoutBigInts(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? Number(item) : item)));
}
