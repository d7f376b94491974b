import { textLimits, unknownAlias, yamlFault } from '@x/internal/syntax';
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  type YAMLSeq,
} from 'yaml';
import { type Data, type DataEntry, nullData, scalarData } from '../data/data-tree.js';
import type { Dialect, EntryChange, LocatedChange, Removal } from '../dialect.js';
import { type DocumentShape, nameFieldOf, unreadable, unsupported } from '../document.js';
import { memoizePer } from '../text/memoize.js';
import { appendItem, putValue } from './insert-yaml.js';
import { removeField, removeFromContainer } from './remove-yaml.js';
import { asNode, keyName, pairAt, slotAt, type YamlNode } from './yaml-nodes.js';

export const yamlDialect: Dialect = {
  open: (text) => {
    const document = parseYaml(text);
    const root = asNode(document?.contents);
    return {
      read: () => dataOfYaml(document),
      locate: (shape, change, removal) => locate(text, root, shape, change, removal),
    };
  },
};

function locate(
  text: string,
  root: YamlNode | undefined,
  shape: DocumentShape,
  change: EntryChange,
  removal: Removal,
): LocatedChange {
  const container = shape.keyPath.reduce<YamlNode | undefined>((node, key) => asNode(pairAt(node, key)?.value), root);
  if (isMap(container) && pairAt(container, '<<') !== undefined) {
    throw unsupported('A merge key ("<<") adds entries from elsewhere, which is not supported', container.range?.[0]);
  }
  if (change.type === 'insert') return insert(text, root, container, shape, change);

  const path = [...shape.keyPath, ...(isSeq(container) ? [] : [change.name])];
  if (change.type === 'remove') {
    const index = isSeq(container) ? indexNamed(container, shape, change.name) : undefined;
    return { splices: removeFromContainer(text, root, path, index, removal) };
  }
  const entry = isSeq(container)
    ? { node: asNode(container.items[indexNamed(container, shape, change.name)]) }
    : slotAt({ node: container }, change.name);
  if (change.type === 'set') return putValue(text, entry, change.path, change.value);
  return { splices: removeField(text, entry, change.path) };
}

function insert(
  text: string,
  root: YamlNode | undefined,
  container: YamlNode | undefined,
  { keyPath, collection }: DocumentShape,
  change: EntryChange & { type: 'insert' },
): LocatedChange {
  const at = { node: root };
  if (collection === 'map') return putValue(text, at, [...keyPath, change.name], change.entry, keyPath.length);
  if (isSeq(container) && container.items.length > 0) return appendItem(text, container, change.entry);
  return putValue(text, at, keyPath, [change.entry], keyPath.length);
}

function indexNamed(list: YAMLSeq, shape: DocumentShape, name: string): number {
  return indexesByName(list, nameFieldOf(shape)).get(name) ?? -1;
}

const indexesByName = memoizePer((list: YAMLSeq, field: string): ReadonlyMap<string, number> => {
  const indexes = new Map<string, number>();
  for (const [index, item] of list.items.entries()) {
    const name: unknown = pairAt(item, field)?.value;
    if (isScalar(name) && typeof name.value === 'string' && !indexes.has(name.value)) indexes.set(name.value, index);
  }
  return indexes;
});

/** Parses one YAML 1.2 document with source tokens. Returns `undefined` for an empty text. */
function parseYaml(text: string): Document.Parsed | undefined {
  // Repeated keys matter only if they affect an edit.
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, keepSourceTokens: true });
  const [document, second] = composer.compose(tokensOf(text), true, text.length);
  const { explicit, version } = document?.directives?.yaml ?? {};
  if (explicit === true && version !== '1.2') {
    throw unsupported(
      'The text declares a YAML version other than 1.2; remove the "%YAML" line',
      text.indexOf('%YAML'),
    );
  }
  const [error] = document?.errors ?? [];
  // No `cause`: the library's error may quote a secret.
  if (error !== undefined) throw unreadable(yamlFault(error).message, error.pos[0]);
  if (second !== undefined) throw unsupported('A second YAML document starts here', second.range[0]);
  return document as Document.Parsed | undefined;
}

/** Limits depth and size, which the library does not. */
function tokensOf(text: string): CST.Token[] {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let parts = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === 'error') return tokens;
    }
    // The parser's stack also contains the document and the current scalar.
    if (parser.stack.length > textLimits.depth + 10) {
      throw unreadable(`Mappings and lists are nested more than ${textLimits.depth} levels deep`, parser.offset);
    }
    if (++parts > textLimits.yamlParts)
      throw unreadable(`The text has more than ${textLimits.yamlParts} parts`, parser.offset);
  }
  return [...tokens, ...parser.end()];
}

/** Content with aliases expanded, to detect edits of anchors that are used elsewhere. */
function dataOfYaml(document: Document.Parsed | undefined): Data {
  return document === undefined ? nullData : new DataReader().read(document.contents, 0);
}

class DataReader {
  readonly #anchors = new Map<string, Data>();
  #values = 0;

  read(node: unknown, depth: number): Data {
    if (++this.#values > textLimits.yamlParts)
      throw unreadable(`The text expands to more than ${textLimits.yamlParts} values`, 0);
    if (isAlias(node)) return this.#resolve(node.source, node.range?.[0] ?? 0);
    if (!isMap(node) && !isSeq(node) && !isScalar(node)) return nullData;
    const data = this.#readOwn(node, depth);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, data);
    return data;
  }

  #readOwn(node: unknown, depth: number): Data {
    if (isScalar(node)) return scalarOf(node.value, node.source);
    if (depth >= textLimits.depth)
      throw unreadable(`Mappings and lists are nested more than ${textLimits.depth} levels deep`, 0);
    const items: readonly unknown[] = isMap(node) || isSeq(node) ? node.items : [];
    if (isMap(node)) return { kind: 'map', entries: items.flatMap((pair) => this.#readPair(pair, depth)) };
    // `!!omap` and similar tags have pairs as list items.
    const read = (item: unknown): Data =>
      isPair(item) ? { kind: 'map', entries: this.#readPair(item, depth) } : this.read(item, depth + 1);
    return { kind: 'list', items: items.map(read) };
  }

  #readPair(pair: unknown, depth: number): DataEntry[] {
    if (!isPair(pair)) return [];
    const { key, value } = pair;
    const start = isScalar(key) ? key.range?.[0] : undefined;
    if (isScalar(key) && key.anchor !== undefined) this.#anchors.set(key.anchor, scalarOf(key.value, key.source));
    return [{ key: keyName(key), value: this.read(value, depth + 1), ...(start === undefined ? {} : { start }) }];
  }

  #resolve(name: string, offset: number): Data {
    const target = this.#anchors.get(name);
    if (target === undefined) throw unreadable(unknownAlias.message, offset);
    this.#values += sizeOf(target, textLimits.aliasedValues);
    if (this.#values > textLimits.aliasedValues) {
      throw unreadable(`The aliases of this text expand to more than ${textLimits.aliasedValues} values`, offset);
    }
    return target;
  }
}

/** Counts values up to about `most`: a few lines can expand to billions. */
function sizeOf(data: Data, most: number): number {
  let size = 1;
  const children =
    data.kind === 'list' ? data.items : data.kind === 'map' ? data.entries.map(({ value }) => value) : [];
  for (const child of children) {
    if (size > most) break;
    size += sizeOf(child, most - size);
  }
  return size;
}

function scalarOf(value: unknown, source: string | undefined): Data {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return scalarData(value);
  if (typeof value === 'number') return scalarData(value, source ?? String(value));
  return { kind: 'scalar', type: 'special', value: source ?? String(value) };
}
