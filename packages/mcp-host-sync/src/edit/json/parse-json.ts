import { type JsonFault, type JsonSyntax, parseJsonText, textLimits } from '@x/internal/syntax';
import type { Node } from 'jsonc-parser';
import { type Data, nullData, scalarData } from '../data/data-tree.js';
import { unreadable } from '../document-fault.js';

/** Parses a text strictly in one syntax. Returns `undefined` for an empty text. */
export function parseJson(text: string, syntax: JsonSyntax): Node | undefined {
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

/** Comments and trailing commas are valid in other JSON syntaxes, so the message names the host's limit. */
function messageOf(text: string, { code, message, offset }: JsonFault): string {
  if (code === 'InvalidCommentToken') return 'The host does not accept comments; remove the comment here';
  const isClosing = text[offset] === '}' || text[offset] === ']';
  if (isClosing && (code === 'PropertyNameExpected' || code === 'ValueExpected')) {
    return 'The host does not accept a comma before a closing bracket; remove it';
  }
  return message;
}
