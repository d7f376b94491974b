import { scanToml, type TomlExcess, textLimits } from '@x/internal/syntax';
import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import { type Data, nullData, scalarData } from '../data/data-tree.js';
import type { Dialect, EntryChange, LocatedChange, Removal } from '../dialect.js';
import { type DocumentShape, nameFieldOf, unreadable, unsupported } from '../document.js';
import { memoizePer } from '../text/memoize.js';
import { insertEntry, insertItem, putField } from './insert-toml.js';
import { removeAt, removeEntry } from './remove-toml.js';
import { keyNames, TomlOutline, type TomlPath } from './toml-outline.js';

export const tomlDialect: Dialect = {
  open: (text) => {
    const program = parseToml(text);
    let outline: TomlOutline | undefined;
    return {
      read: () => dataOfToml(text, program),
      locate: (shape, change, removal) => {
        outline ??= new TomlOutline(program);
        return locate(text, outline, shape, change, removal);
      },
    };
  },
};

function locate(
  text: string,
  outline: TomlOutline,
  shape: DocumentShape,
  change: EntryChange,
  removal: Removal,
): LocatedChange {
  const { keyPath, collection } = shape;
  if (change.type === 'insert') {
    if (collection === 'map') return insertEntry(text, outline, keyPath, change.name, change.entry);
    return insertItem(text, outline, keyPath, change.entry);
  }
  const path = collection === 'map' ? [...keyPath, change.name] : itemPath(outline, shape, change.name);
  switch (change.type) {
    case 'remove':
      return { splices: removeEntry(text, outline, path, removal) };
    case 'set':
      return putField(text, outline, path, change.path, change.value);
    case 'unset':
      return { splices: removeAt(text, outline, [...path, ...change.path]) };
  }
}

function itemPath(outline: TomlOutline, shape: DocumentShape, name: string): TomlPath {
  const path = itemPaths(outline, shape).get(name);
  if (path === undefined) throw unsupported('The entry is not at its expected position');
  return path;
}

const itemPaths = memoizePer((outline: TomlOutline, shape: DocumentShape): ReadonlyMap<unknown, TomlPath> => {
  const items = outline.itemsOf(shape.keyPath);
  return new Map(items.map((item) => [nameIn(outline, [...item, nameFieldOf(shape)]), item]));
});

function nameIn(outline: TomlOutline, path: TomlPath): unknown {
  const value = outline.at(path).field?.node.value;
  return value?.type === 'TOMLValue' ? value.value : undefined;
}

/** Parses TOML 1.0 only, so that hosts with older readers accept the edited file. */
function parseToml(text: string): AST.TOMLProgram {
  const excess = scanToml(text);
  if (excess !== undefined) throw unreadable(messages[excess.kind], excess.offset);
  try {
    return parseTOML(text, { tomlVersion: '1.0' });
  } catch (error) {
    if (error instanceof ParseError) throw unreadable(error.message, error.index, { cause: error });
    throw error;
  }
}

const tooDeep = `Tables and arrays are nested more than ${textLimits.depth} levels deep`;

/** Error messages by exceeded limit. Such a text does not reach the parser. */
const messages: Readonly<Record<TomlExcess['kind'], string>> = {
  depth: tooDeep,
  parts: `The text has more than ${textLimits.tomlParts} parts`,
  token: `A value or key is longer than ${textLimits.tomlTokenLength} characters`,
};

function dataOfToml(text: string, program: AST.TOMLProgram): Data {
  const root = new Branch();
  for (const item of program.body[0].body) {
    if (item.type === 'TOMLKeyValue') addKeyValue(text, root, [], item);
    else {
      const table = root.at(item.resolvedKey, item.key.range[0]);
      for (const keyValue of item.body) addKeyValue(text, table, [], keyValue);
    }
  }
  return root.isEmpty ? nullData : root.toData(0);
}

function addKeyValue(text: string, table: Branch, path: TomlPath, { key, value }: AST.TOMLKeyValue): void {
  table.at([...path, ...keyNames(key)], key.range[0]).value = dataOfValue(text, value, 0);
}

function dataOfValue(text: string, node: AST.TOMLContentNode, depth: number): Data {
  if (depth > textLimits.depth) throw unreadable(tooDeep, node.range[0]);
  if (node.type === 'TOMLArray') {
    return { kind: 'list', items: node.elements.map((element) => dataOfValue(text, element, depth + 1)) };
  }
  if (node.type === 'TOMLInlineTable') {
    const table = new Branch();
    for (const { key, value } of node.body) {
      table.at(keyNames(key), key.range[0]).value = dataOfValue(text, value, depth + 1);
    }
    return table.toData(0);
  }
  if (node.kind === 'string' || node.kind === 'boolean') return scalarData(node.value);
  const source = text.slice(...node.range);
  if (node.kind === 'integer' || node.kind === 'float') return scalarData(node.value, source);
  return { kind: 'scalar', type: 'special', value: source };
}

class Branch {
  value: Data | undefined;
  readonly #children = new Map<string | number, { readonly branch: Branch; readonly start: number }>();

  get isEmpty(): boolean {
    return this.#children.size === 0;
  }

  at(path: TomlPath, start: number): Branch {
    let branch: Branch = this;
    for (const step of path) {
      const child = branch.#children.get(step) ?? { branch: new Branch(), start };
      branch.#children.set(step, child);
      branch = child.branch;
    }
    return branch;
  }

  toData(depth: number): Data {
    if (this.value !== undefined) return this.value;
    const children = [...this.#children];
    if (depth > textLimits.depth) throw unreadable(tooDeep, children[0]?.[1].start ?? 0);
    if (typeof children[0]?.[0] === 'number') {
      return { kind: 'list', items: children.map(([, { branch }]) => branch.toData(depth + 1)) };
    }
    return {
      kind: 'map',
      entries: children.map(([key, { branch, start }]) => ({
        key: String(key),
        value: branch.toData(depth + 1),
        start,
      })),
    };
  }
}
