import { textLimits } from '@x/internal/syntax';
import type { DocumentShape, EntryEdit, JsonValue } from './document-shape.js';

export function checkShape({ keyPath, collection }: DocumentShape): void {
  if (keyPath.length === 0) throw new TypeError('shape.keyPath must have at least one key');
  if (collection !== 'map' && collection !== 'sequence-by-name') {
    throw new TypeError(`shape.collection must be 'map' or 'sequence-by-name', got ${JSON.stringify(collection)}`);
  }
}

/** Rejects values that the dialect cannot express, before the file is read. */
export function checkEdit(shape: DocumentShape, edit: EntryEdit): void {
  const check = (value: JsonValue, where: readonly string[]) => checkValue(shape, value, where);
  check(edit.name, ['name']);
  if (edit.type === 'add') check(edit.entry, [edit.name]);
  if (edit.type !== 'update') return;
  for (const { path, value } of edit.set) {
    checkPath(shape, path);
    check(value, [edit.name, ...path]);
  }
  for (const path of edit.unset) checkPath(shape, path);
}

function checkPath({ collection, nameField = 'name' }: DocumentShape, path: readonly string[]): void {
  if (path.length === 0) throw new TypeError('The path of an update must have at least one field');
  if (collection === 'sequence-by-name' && path.length === 1 && path[0] === nameField) {
    throw new TypeError(`An update cannot change the field ${JSON.stringify(nameField)}, which is the entry's name`);
  }
}

function checkValue(shape: DocumentShape, value: JsonValue, where: readonly string[]): void {
  const refuse = (what: string): never => {
    throw new TypeError(`${JSON.stringify(where.join('.'))} must be ${what}`);
  };
  if (where.length > textLimits.depth / 2) refuse(`nested less than ${textLimits.depth / 2} levels deep`);
  if (typeof value === 'number' && !Number.isFinite(value)) refuse('a finite number');
  if (value === null && shape.dialect === 'toml') refuse('a value other than null, which TOML does not have');
  if (typeof value === 'string' && !/^json/.test(shape.dialect) && !isWellFormed(value)) {
    refuse('text without lone surrogates');
  }
  if (typeof value !== 'object' || value === null) {
    if (!['string', 'number', 'boolean'].includes(typeof value) && value !== null) refuse('a JSON value');
    return;
  }
  for (const [key, item] of Object.entries(value) as [string, JsonValue][]) {
    checkValue(shape, key, [...where, key]);
    checkValue(shape, item, [...where, key]);
  }
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
