import type { JsonSyntax } from '@x/internal/syntax';
import type { Node } from 'jsonc-parser';
import { nameFieldOf } from '../data/entry-data.js';
import type { Dialect, EntryChange, LocatedChange, Removal } from '../dialect.js';
import { unsupported } from '../document-fault.js';
import type { DocumentShape } from '../document-shape.js';
import { appendItem, putValue } from './insert-json.js';
import { childAt, itemNamed, valueOn } from './json-nodes.js';
import { dataOfJson, parseJson } from './parse-json.js';
import { removeEntry, removeField } from './remove-json.js';

/** Rejects, and never writes, text outside of the syntax. */
export function jsonDialect(syntax: JsonSyntax): Dialect {
  return {
    open: (text) => {
      const root = parseJson(text, syntax);
      return {
        read: () => dataOfJson(text, root),
        locate: (shape, change, removal) => locate(text, root, shape, change, removal),
      };
    },
  };
}

function locate(
  text: string,
  root: Node | undefined,
  shape: DocumentShape,
  change: EntryChange,
  removal: Removal,
): LocatedChange {
  if (change.type === 'insert') return insert(text, root, shape, change);

  const entry = root && entryNode(root, shape, change.name);
  if (root === undefined || entry === undefined) throw unsupported('The entry is not at its expected position');
  if (change.type === 'remove') return { splices: removeEntry(text, root, shape, entry, removal) };
  if (change.type === 'set') return putValue(text, entry, change.path, change.value);
  return { splices: removeField(text, entry, change.path) };
}

function insert(text: string, root: Node | undefined, shape: DocumentShape, change: EntryChange & { type: 'insert' }) {
  const { keyPath } = shape;
  if (shape.collection === 'map') return putValue(text, root, [...keyPath, change.name], change.entry, keyPath.length);
  const list = root && valueOn(root, keyPath);
  if (list?.type === 'array') return appendItem(text, list, change.entry);
  return putValue(text, root, keyPath, [change.entry], keyPath.length);
}

function entryNode(root: Node, shape: DocumentShape, name: string): Node | undefined {
  const container = valueOn(root, shape.keyPath);
  if (container === undefined) return undefined;
  return shape.collection === 'map' ? childAt(container, name) : itemNamed(container, nameFieldOf(shape), name);
}
