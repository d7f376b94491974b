import { type JsonFault, type JsonSyntax, parseJsonText, textLimits } from '@x/internal/syntax';
import JSON5 from 'json5';
import type { Node } from 'jsonc-parser';
import { type Data, dataFromJson, nullData, scalarData } from '../data/data-tree.js';
import type { Dialect, EntryChange, LocatedChange, OpenText, Removal } from '../dialect.js';
import {
  DocumentFault,
  type DocumentShape,
  type JsonValue,
  nameFieldOf,
  unreadable,
  unsupported,
} from '../document.js';
import { lineStart } from '../text/text-edits.js';
import { appendItem, putValue } from './insert-json.js';
import { childAt, itemNamed, valueOn } from './json-nodes.js';
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

/** Parses a text strictly in one syntax. Returns `undefined` for an empty text. */
function parseJson(text: string, syntax: JsonSyntax): Node | undefined {
  const reading = parseJsonText(text, syntax);
  switch (reading.kind) {
    case 'empty':
      return undefined;
    case 'too-deep':
      throw unreadable(`Objects and arrays are nested more than ${textLimits.depth} levels deep`, reading.offset);
    case 'faulty': {
      const [fault] = reading.faults;
      throw unreadable(fault === undefined ? 'This is not valid JSON' : messageOf(text, fault), fault?.offset ?? 0);
    }
    case 'tree':
      return reading.root;
  }
}

function dataOfJson(text: string, node: Node | undefined): Data {
  if (node === undefined) return nullData;
  const children = node.children ?? [];
  switch (node.type) {
    case 'array':
      return { kind: 'list', items: children.map((child) => dataOfJson(text, child)) };
    case 'object':
      return {
        kind: 'map',
        entries: children.flatMap(({ children: [key, value] = [] }) =>
          key === undefined ? [] : [{ key: String(key.value), value: dataOfJson(text, value), start: key.offset }],
        ),
      };
    case 'number':
      return scalarData(node.value, text.slice(node.offset, node.offset + node.length));
    default:
      return scalarData(node.value);
  }
}

/** Comments and trailing commas are valid in other JSON syntaxes, so the message names the host's limit. */
function messageOf(text: string, { code, message, offset }: JsonFault): string {
  if (code === 'InvalidCommentToken') return 'The host does not accept comments; remove the comment here';
  const isClosing = text[offset] === '}' || text[offset] === ']';
  if (isClosing && (code === 'PropertyNameExpected' || code === 'ValueExpected')) {
    return 'The host does not accept a comma before a closing bracket; remove it';
  }
  return message;
}

const jsonc = jsonDialect({ comments: true, trailingCommas: true });

/** Reads all of JSON5, but edits only texts that are also JSONC. */
export const json5Dialect: Dialect = {
  open: (text) => {
    const opened = openedAsJsonc(text);
    if (!(opened instanceof DocumentFault)) return opened;
    return {
      read: () => readJson5(text),
      locate: () => {
        throw unsupported(
          'This text uses JSON5 features beyond comments and trailing commas; it can be read but not edited',
          opened.offset,
        );
      },
    };
  },
};

function openedAsJsonc(text: string): OpenText | DocumentFault {
  try {
    return jsonc.open(text);
  } catch (error) {
    if (error instanceof DocumentFault) return error;
    throw error;
  }
}

function readJson5(text: string) {
  let value: JsonValue;
  try {
    value = JSON5.parse<JsonValue>(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unreadable('This is not valid JSON5', offsetOf(text, error), { cause: error });
  }
  checkDepth(value, 0);
  return dataFromJson(value);
}

function offsetOf(text: string, error: SyntaxError & { lineNumber?: number; columnNumber?: number }): number {
  let start = 0;
  for (let line = 1; line < (error.lineNumber ?? 1); line += 1) start = text.indexOf('\n', start) + 1;
  return lineStart(text, start) + Math.max(0, (error.columnNumber ?? 1) - 1);
}

function checkDepth(value: JsonValue, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth >= textLimits.depth)
    throw unreadable(`Objects and arrays are nested more than ${textLimits.depth} levels deep`, 0);
  for (const item of Object.values(value) as JsonValue[]) checkDepth(item, depth + 1);
}
