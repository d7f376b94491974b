import { isList, isObject } from '../data/json-value.js';
import type { JsonValue } from '../document-shape.js';

export function blockLines(key: string, value: JsonValue, indent: string, step: string): readonly string[] {
  const head = `${indent}${writeText(key)}:`;
  if (isFlat(value)) return [`${head} ${writeFlow(value, '')}`];
  return [head, ...contentLines(value, indent + step, step)];
}

export function contentLines(value: JsonValue, indent: string, step: string): readonly string[] {
  if (isList(value)) return value.flatMap((item) => itemLines(item, indent, step));
  if (!isObject(value)) return [`${indent}${writeFlow(value, '')}`];
  return Object.entries(value).flatMap(([key, item]) => blockLines(key, item, indent, step));
}

/** A mapping starts after its dash; a nested list stays on one line. */
export function itemLines(item: JsonValue, indent: string, step: string): readonly string[] {
  if (isFlat(item) || isList(item)) return [`${indent}- ${writeFlow(item, '')}`];
  const [first = '', ...rest] = contentLines(item, `${indent}  `, step);
  return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
}

export function writeFlow(value: JsonValue, pad: '' | ' '): string {
  if (isList(value)) return `[${value.map((item) => writeFlow(item, pad)).join(', ')}]`;
  if (!isObject(value)) return typeof value === 'string' ? writeText(value) : JSON.stringify(value);
  const members = Object.entries(value).map(([key, item]) => `${writeText(key)}: ${writeFlow(item, pad)}`);
  return members.length === 0 ? '{}' : `{${pad}${members.join(', ')}${pad}}`;
}

export function isFlat(value: JsonValue): boolean {
  if (isList(value)) return value.length === 0;
  return !isObject(value) || Object.keys(value).length === 0;
}

// Plain scalars that YAML 1.1 and 1.2 read as the same string, in block and flow style.
const plain = /^(?:[A-Za-z_/]|-(?=[A-Za-z-])|\.{1,2}\/|~\/)(?:[A-Za-z0-9_./@+=~$^-]|:(?=[^\s,[\]{}])| (?=[^\s#]))*$/;
const word = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf|-?\.?inf|---|\.\.\.)$/i;

export function writeText(text: string): string {
  if (plain.test(text) && !word.test(text) && !text.startsWith('---')) return text;
  // Escapes characters that JSON leaves but YAML forbids or folds: controls, line separators, byte order marks.
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
