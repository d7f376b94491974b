import { isForbiddenKey } from '@x/internal/json';
import { scanToml, type TextPositions, type TomlExcess, textLimits } from '@x/internal/syntax';
import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser';
import type { ConfigPath } from '../issues.js';
import {
  forbiddenKey,
  type ReportFault,
  repeatedKey,
  type SourceEntry,
  type SourceNode,
  tooDeep,
} from './source-tree.js';

export function readToml(text: string, positions: TextPositions, report: ReportFault): SourceNode | undefined {
  const excess = scanToml(text);
  if (excess !== undefined) {
    report(...faultOfExcess(excess));
    return undefined;
  }
  try {
    const program = parseTOML(text, { tomlVersion: '1.0' });
    const [{ body }] = program.body;
    return body.length === 0 ? undefined : new TomlTree(report).convert(body);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    reportParseError(error, text, positions, report);
    return undefined;
  }
}

function faultOfExcess({ kind, offset }: TomlExcess): Parameters<ReportFault> {
  if (kind === 'depth') return [tooDeep, offset];
  const isToken = kind === 'token';
  const limit = isToken ? textLimits.tomlTokenLength : textLimits.tomlParts;
  const message = isToken ? `A value or key has more than ${limit} bytes` : `The text has more than ${limit} parts`;
  return [{ code: 'too-large', severity: 'error', message, limit, unit: isToken ? 'bytes' : 'parts' }, offset];
}

function reportParseError(error: ParseError, text: string, positions: TextPositions, report: ReportFault): void {
  const offset = Math.min(error.index, text.length);
  const repeated = error.message === repeatedKeyMessage ? firstOfRepeatedKey(text, offset) : undefined;
  if (repeated === undefined) {
    const message = messages[error.message] ?? error.message;
    // The parser reports a value that is missing at the end of a line on the next line.
    const place = missing.has(error.message) ? text.slice(0, offset).trimEnd().length : offset;
    report({ code: 'syntax', severity: 'error', message, hint: hints[error.message] }, place);
    return;
  }
  const { key, path, firstStart } = repeated;
  report(repeatedKey(key, positions.at(firstStart)), offset, path);
}

const repeatedKeyMessage = 'Defining a key multiple times is invalid';

const missing: ReadonlySet<string> = new Set([
  'Unspecified values are invalid',
  'Unterminated table-key',
  'The key, equals sign, and value must be on the same line',
]);

const messages: Readonly<Record<string, string>> = {
  [repeatedKeyMessage]: 'This key is already set',
  'Unspecified values are invalid': 'Expected a value after "="',
  'Expected equal (=) token': 'Expected "=" after the key',
  'Must be a newline': 'Expected the end of the line',
  'The key, equals sign, and value must be on the same line': 'The line ends before its key or header does',
};

const hints: Readonly<Record<string, string>> = {
  [repeatedKeyMessage]: 'keep one of the two',
  'Unexpected token': 'put text in quotes: key = "value"',
  'Unspecified values are invalid': 'put text in quotes: key = "value"',
};

interface OpenMap {
  readonly kind: 'map';
  readonly start: number;
  readonly entries: Map<string, SourceEntry>;
}

interface OpenList {
  readonly kind: 'list';
  readonly start: number;
  readonly items: SourceNode[];
}

class TomlTree {
  readonly #report: ReportFault;

  constructor(report: ReportFault) {
    this.#report = report;
  }

  convert(body: readonly (AST.TOMLKeyValue | AST.TOMLTable)[]): SourceNode {
    const root = openMap(0);
    for (const item of body) {
      if (item.type === 'TOMLKeyValue') {
        this.#addKeyValue(root, item, []);
        continue;
      }
      const table = this.#table(root, item);
      if (table !== undefined) for (const pair of item.body) this.#addKeyValue(table, pair, item.resolvedKey);
    }
    return root;
  }

  #table(root: OpenMap, { key: { keys }, kind, resolvedKey }: AST.TOMLTable): OpenMap | undefined {
    let map = root;
    for (const [index, keyNode] of keys.entries()) {
      const isItem = kind === 'array' && index === keys.length - 1;
      const next = this.#descend(map, keyNode, resolvedKey, isItem);
      if (next === undefined) return undefined;
      map = next;
    }
    return map;
  }

  #addKeyValue(map: OpenMap, { key: { keys }, value }: AST.TOMLKeyValue, base: ConfigPath): void {
    let owner: OpenMap | undefined = map;
    const path = [...base, ...keys.map(nameOf)];
    for (const keyNode of keys.slice(0, -1)) owner = owner && this.#descend(owner, keyNode, path, false);
    const last = keys.at(-1);
    if (owner === undefined || last === undefined || this.#refuses(last, path)) return;
    owner.entries.set(nameOf(last), { keyStart: last.range[0], node: this.#value(value, path) });
  }

  /**
   * Returns the map of a key; creates a missing one. In a list of tables the last one counts; `isItem` appends another.
   */
  #descend(map: OpenMap, keyNode: KeyNode, path: ConfigPath, isItem: boolean): OpenMap | undefined {
    if (this.#refuses(keyNode, path)) return undefined;
    const name = nameOf(keyNode);
    const start = keyNode.range[0];
    const found = map.entries.get(name)?.node;
    if (found !== undefined && isOpenList(found)) {
      if (isItem) found.items.push(openMap(start));
      const last = found.items.at(-1);
      return last !== undefined && isOpenMap(last) ? last : undefined;
    }
    if (found !== undefined) return isOpenMap(found) ? found : undefined; // the parser rejects other cases

    const made = openMap(start);
    const node: OpenMap | OpenList = isItem ? { kind: 'list', start, items: [made] } : made;
    map.entries.set(name, { keyStart: start, node });
    return made;
  }

  #value(node: AST.TOMLContentNode, path: ConfigPath): SourceNode {
    const [start, end] = node.range;
    if (node.type === 'TOMLArray') {
      const items = node.elements.map((element, index) => this.#value(element, [...path, index]));
      return { kind: 'list', start, items };
    }
    if (node.type === 'TOMLInlineTable') {
      const map = openMap(start);
      for (const pair of node.body) this.#addKeyValue(map, pair, path);
      return map;
    }
    // Dates are text, as in YAML 1.2 and JSON.
    return { kind: 'scalar', start, end, value: 'datetime' in node ? node.datetime : node.value };
  }

  #refuses(keyNode: KeyNode, path: ConfigPath): boolean {
    const name = nameOf(keyNode);
    if (!isForbiddenKey(name)) return false;
    this.#report(forbiddenKey(name), keyNode.range[0], path.slice(0, path.indexOf(name) + 1));
    return true;
  }
}

type KeyNode = AST.TOMLBare | AST.TOMLQuoted;

function nameOf(keyNode: KeyNode): string {
  return getStaticTOMLValue(keyNode);
}

function openMap(start: number): OpenMap {
  return { kind: 'map', start, entries: new Map() };
}

// The tree contains only nodes of this class, which can be extended.
function isOpenMap(node: SourceNode): node is OpenMap {
  return node.kind === 'map';
}

function isOpenList(node: SourceNode): node is OpenList {
  return node.kind === 'list';
}

interface RepeatedKey {
  readonly key: string;
  readonly path: ConfigPath;
  /** Offset of the existing key. */
  readonly firstStart: number;
}

/**
 * Finds the first occurrence of a repeated key by parsing the text before it again, because the parser reports only the
 * repetition. `undefined` if not found, for example in an inline table.
 */
function firstOfRepeatedKey(text: string, offset: number): RepeatedKey | undefined {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const key = /[\w-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*'/y;
  key.lastIndex = offset;
  const written = key.exec(text)?.[0];
  if (written === undefined) return undefined;
  const opening = text.slice(lineStart, offset) + written;
  const closing = /^\s*\[\[/.test(opening) ? ']]' : /^\s*\[/.test(opening) ? ']' : ' = 0';
  const before = parsed(text.slice(0, lineStart));
  const [statement] = parsed(opening + closing) ?? [];
  if (before === undefined || statement === undefined) return undefined;

  const table = statement.type === 'TOMLTable' ? [] : tableAtEnd(before);
  const path = [...table, ...statement.key.keys.map((node) => getStaticTOMLValue(node))];
  const firstStart = startOf(before, path);
  const name = path.at(-1);
  return firstStart === undefined || typeof name !== 'string' ? undefined : { key: name, path, firstStart };
}

type Statement = AST.TOMLKeyValue | AST.TOMLTable;

function parsed(text: string): readonly Statement[] | undefined {
  try {
    return parseTOML(text, { tomlVersion: '1.0' }).body[0].body;
  } catch {
    return undefined; // not valid on its own: the line is inside of a value, or further keys are repeated
  }
}

function tableAtEnd(statements: readonly Statement[]): ConfigPath {
  const last = statements.at(-1);
  return last?.type === 'TOMLTable' ? last.resolvedKey : [];
}

/** First position of a path or of a longer path that starts with it. */
function startOf(statements: readonly Statement[], path: ConfigPath): number | undefined {
  for (const statement of statements) {
    const base = statement.type === 'TOMLTable' ? statement.resolvedKey : [];
    if (statement.type === 'TOMLTable' && startsWith(base, path)) return statement.key.range[0];
    for (const pair of statement.type === 'TOMLTable' ? statement.body : [statement]) {
      const full = [...base, ...pair.key.keys.map((node) => getStaticTOMLValue(node))];
      if (startsWith(full, path)) return pair.key.keys[path.length - base.length - 1]?.range[0] ?? pair.range[0];
    }
  }
  return undefined;
}

function startsWith(full: ConfigPath, start: ConfigPath): boolean {
  return start.every((step, index) => full[index] === step);
}
