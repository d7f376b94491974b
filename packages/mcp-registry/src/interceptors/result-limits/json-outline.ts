import { isRecord } from '@x/internal/json';
import { betweenCharacters, estimateTokens } from './token-estimate.js';

interface Detail {
  readonly items: number;
  readonly characters: number;
  readonly depth: number;
}

const DETAILS: readonly Detail[] = [
  { items: 200, characters: 4_000, depth: 8 },
  { items: 200, characters: 1_500, depth: 8 },
  { items: 200, characters: 400, depth: 8 },
  { items: 100, characters: 300, depth: 8 },
  { items: 50, characters: 200, depth: 7 },
  { items: 25, characters: 120, depth: 6 },
  { items: 12, characters: 100, depth: 5 },
  { items: 6, characters: 80, depth: 4 },
  { items: 3, characters: 50, depth: 3 },
  { items: 1, characters: 30, depth: 2 },
];

/** The beginning of a value in the form of JSON, with counts of what is left out, in about so many tokens. */
export function outlineOf(value: object, maxTokens: number): string {
  const heading = headingOf(value);
  for (const detail of DETAILS) {
    const text = print(value, detail, maxTokens * 8);
    if (text !== undefined && estimateTokens(text) <= maxTokens - estimateTokens(heading)) return `${heading}\n${text}`;
  }
  return heading;
}

function headingOf(value: object): string {
  if (!Array.isArray(value)) return `JSON object with ${counted(Object.keys(value).length, 'key')}:`;
  const shape = shapeOf(value);
  return `JSON list of ${counted(value.length, 'item')}${shape && `, each ${shape}`}:`;
}

const LOOKED_AT = 100;
const LONGEST_SHAPE = 600;

function shapeOf(list: readonly unknown[]): string {
  const types = new Map<string, string>();
  for (const item of list.slice(0, LOOKED_AT)) {
    if (!isRecord(item)) return '';
    for (const [key, value] of Object.entries(item).slice(0, LOOKED_AT))
      if (!types.has(key)) types.set(key, typeOf(value));
  }
  const fields = Array.from(types, ([key, type]) => `${JSON.stringify(key)}: ${type}`).join(', ');
  return fields.length > LONGEST_SHAPE ? '' : `{ ${fields} }`;
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
}

class TooLong extends Error {}

/** `undefined` if it is longer. */
function print(value: object, detail: Detail, maxLength: number): string | undefined {
  let text = '';
  const add = (more: string) => {
    text += more;
    if (text.length > maxLength) throw new TooLong();
  };
  try {
    printValue(value, detail, add);
  } catch (error) {
    if (error instanceof TooLong) return undefined;
    throw error;
  }
  return text;
}

function printValue(value: unknown, detail: Detail, add: (text: string) => void): void {
  if (typeof value === 'string') add(printText(value, detail.characters));
  else if (typeof value !== 'object' || value === null) add(JSON.stringify(value));
  else if (Array.isArray(value)) printList(value, detail, add);
  else printObject(Object.entries(value), detail, add);
}

function printText(text: string, length: number): string {
  if (text.length <= length) return JSON.stringify(text);
  const start = text.slice(0, betweenCharacters(text, length));
  return `${JSON.stringify(start)}… (${text.length} characters)`;
}

function printList(list: readonly unknown[], detail: Detail, add: (text: string) => void): void {
  if (detail.depth === 0 && list.length > 0) {
    add(`[… ${counted(list.length, 'item')}]`);
    return;
  }
  add('[');
  for (const [index, item] of list.slice(0, detail.items).entries()) {
    add(index === 0 ? '' : ',\n');
    printValue(item, inner(detail), add);
  }
  if (list.length > detail.items) add(`,\n… ${list.length - detail.items} more`);
  add(']');
}

function printObject(
  entries: readonly (readonly [string, unknown])[],
  detail: Detail,
  add: (text: string) => void,
): void {
  if (detail.depth === 0 && entries.length > 0) {
    add(`{… ${counted(entries.length, 'key')}}`);
    return;
  }
  const shown = Math.max(detail.items, 10);
  add('{');
  for (const [index, [key, value]] of entries.slice(0, shown).entries()) {
    add(`${index === 0 ? '' : ', '}${printText(key, 200)}: `);
    printValue(value, inner(detail), add);
  }
  if (entries.length > shown) add(`, … ${entries.length - shown} more`);
  add('}');
}

function inner({ items, characters, depth }: Detail): Detail {
  return { items: Math.max(1, items >> 1), characters, depth: depth - 1 };
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
