import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { limits } from '../../../source/limits.js';
import { type Data, nullData, scalarData } from '../data-tree.js';
import { unreadable } from '../document-fault.js';
import { isBlank } from '../text-lines.js';

export interface JsonSyntax {
  readonly comments: boolean;
  readonly trailingCommas: boolean;
}

/** Reads a text strictly within a syntax. Nothing when it is empty. */
export function parseJson(text: string, { comments, trailingCommas }: JsonSyntax): Node | undefined {
  if (scan(text) === 0 && (comments || isBlank(text))) return undefined;
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: !comments, allowTrailingComma: trailingCommas });
  const [error] = errors;
  if (error !== undefined) throw unreadable(messageOf(text, error), error.offset);
  return root;
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

// `parseTree` calls itself for each level, so a deep text has to be found before it is parsed. Compared as numbers
// because the library's token kinds are a const enum, which does not survive single-file compilation.
const opening: ReadonlySet<number> = new Set([1, 3]);
const closing: ReadonlySet<number> = new Set([2, 4]);
const notData: ReadonlySet<number> = new Set([12, 13, 14, 15]);
const endOfText = 17;

/** The number of tokens that carry data. */
function scan(text: string): number {
  const scanner = createScanner(text, false);
  let tokens = 0;
  let depth = 0;
  for (let kind: number = scanner.scan(); kind !== endOfText; kind = scanner.scan()) {
    if (!notData.has(kind)) tokens += 1;
    if (closing.has(kind)) depth -= 1;
    if (opening.has(kind) && ++depth > limits.depth) {
      throw unreadable(`More than ${limits.depth} objects and arrays inside one another`, scanner.getTokenOffset());
    }
  }
  return tokens;
}

function messageOf(text: string, { error, offset }: ParseError): string {
  const code = printParseErrorCode(error);
  const isClosing = text[offset] === '}' || text[offset] === ']';
  if (isClosing && (code === 'PropertyNameExpected' || code === 'ValueExpected')) {
    return 'A comma stands before this closing bracket, which the host does not read; remove it first';
  }
  return messages[code] ?? 'This is not JSON';
}

const messages: Readonly<Record<string, string>> = {
  InvalidSymbol: 'This word means nothing in JSON; text stands in double quotes',
  InvalidNumberFormat: 'This is not a number',
  PropertyNameExpected: 'Expected a key in double quotes',
  ValueExpected: 'Expected a value',
  ColonExpected: 'Expected a colon after the key',
  CommaExpected: 'Expected a comma before this',
  CloseBraceExpected: 'Expected "}": an object is not closed',
  CloseBracketExpected: 'Expected "]": a list is not closed',
  EndOfFileExpected: 'The text goes on after the end of its value',
  InvalidCommentToken: 'A comment stands here, which the host does not read; remove it first',
  UnexpectedEndOfComment: 'A comment is not closed',
  UnexpectedEndOfString: 'A text is not closed with a double quote on its line',
  UnexpectedEndOfNumber: 'A number is not finished',
  InvalidUnicode: 'Expected four hexadecimal digits after "\\u"',
  InvalidEscapeCharacter: 'A backslash must be written twice, or stand before one of " \\ / b f n r t u',
  InvalidCharacter: 'A text cannot hold this control character as it is',
};
