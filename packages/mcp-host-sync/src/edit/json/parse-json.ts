import { type JsonFault, type JsonSyntax, parseJsonText, textLimits } from '@x/internal/syntax';
import type { Node } from 'jsonc-parser';
import { type Data, nullData, scalarData } from '../data-tree.js';
import { unreadable } from '../document-fault.js';

/** Reads a text strictly within a syntax. Nothing when it is empty. */
export function parseJson(text: string, syntax: JsonSyntax): Node | undefined {
  const reading = parseJsonText(text, syntax);
  switch (reading.kind) {
    case 'empty':
      return undefined;
    case 'too-deep':
      throw unreadable(`More than ${textLimits.depth} objects and arrays inside one another`, reading.offset);
    case 'faulty': {
      const [fault] = reading.faults;
      throw unreadable(fault === undefined ? 'This is not JSON' : messageOf(text, fault), fault?.offset ?? 0);
    }
    case 'tree':
      return reading.root;
  }
}

/** The tree as plain data, with repeated keys and the spelling of numbers. */
export function dataOfJson(text: string, node: Node | undefined): Data {
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

/** What is allowed in JSON elsewhere is no mistake of its writer but something that the host does not know. */
function messageOf(text: string, { code, message, offset }: JsonFault): string {
  if (code === 'InvalidCommentToken') return 'A comment stands here, which the host does not read; remove it first';
  const isClosing = text[offset] === '}' || text[offset] === ']';
  if (isClosing && (code === 'PropertyNameExpected' || code === 'ValueExpected')) {
    return 'A comma stands before this closing bracket, which the host does not read; remove it first';
  }
  return message;
}
