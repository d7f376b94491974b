import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { textLimits } from './text-limits.js';

/** Extensions of strict JSON that a text may use. */
export interface JsonSyntax {
  readonly comments: boolean;
  readonly trailingCommas: boolean;
}

export type JsonReading =
  | { readonly kind: 'empty' }
  /** `offset` of the first excess level. */
  | { readonly kind: 'too-deep'; readonly offset: number }
  | { readonly kind: 'faulty'; readonly faults: readonly JsonFault[] }
  | { readonly kind: 'tree'; readonly root: Node };

export interface JsonFault {
  /** The parser's code, such as `CommaExpected`. */
  readonly code: string;
  readonly message: string;
  readonly offset: number;
}

/** Never throws; takes linear time. */
export function parseJsonText(text: string, { comments, trailingCommas }: JsonSyntax): JsonReading {
  const { isEmpty, deepAt } = scan(text);
  // A text of comments alone has a fault where they are not allowed.
  if (isEmpty && (comments || text.trim() === '')) return { kind: 'empty' };
  if (deepAt !== undefined) return { kind: 'too-deep', offset: deepAt };

  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: !comments, allowTrailingComma: trailingCommas });
  const faults = errors.map(faultOf);
  if (root !== undefined && faults.length === 0) return { kind: 'tree', root };
  return { kind: 'faulty', faults: faults.length > 0 ? faults : [{ code: 'ValueExpected', ...nothingFound }] };
}

// `parseTree` recurses, so deep texts are found first. Numbers, because the library's const enum of token kinds does
// not survive single-file compilation.
const opening: ReadonlySet<number> = new Set([1, 3]);
const closing: ReadonlySet<number> = new Set([2, 4]);
const endOfText = 17;

function scan(text: string): { readonly isEmpty: boolean; readonly deepAt?: number } {
  const scanner = createScanner(text, true);
  let isEmpty = true;
  let depth = 0;
  for (let kind: number = scanner.scan(); kind !== endOfText; kind = scanner.scan()) {
    isEmpty = false;
    if (closing.has(kind)) depth -= 1;
    if (opening.has(kind) && ++depth > textLimits.depth) return { isEmpty, deepAt: scanner.getTokenOffset() };
  }
  return { isEmpty };
}

function faultOf({ error, offset }: ParseError): JsonFault {
  const code = printParseErrorCode(error);
  return { code, message: messages[code] ?? 'This is not JSON', offset };
}

const messages: Readonly<Record<string, string>> = {
  InvalidSymbol: 'This word is not JSON; put text in double quotes',
  InvalidNumberFormat: 'This is not a number',
  PropertyNameExpected: 'Expected a key in double quotes',
  ValueExpected: 'Expected a value',
  ColonExpected: 'Expected a colon after the key',
  CommaExpected: 'Expected a comma before this',
  CloseBraceExpected: 'Expected "}": an object is not closed',
  CloseBracketExpected: 'Expected "]": a list is not closed',
  EndOfFileExpected: 'Expected the end of the text after its value; remove the rest',
  InvalidCommentToken: 'Comments are not allowed here; remove this one',
  UnexpectedEndOfComment: 'A comment is not closed; end it with "*/"',
  UnexpectedEndOfString: 'A text is not closed; end it with a double quote on its line',
  UnexpectedEndOfNumber: 'A number is not complete',
  InvalidUnicode: 'Expected four hexadecimal digits after "\\u"',
  InvalidEscapeCharacter: 'A backslash must be written twice, or stand before one of " \\ / b f n r t u',
  InvalidCharacter: 'A text cannot contain this control character; write it as an escape, such as "\\n"',
};

const nothingFound = { message: 'Expected a value', offset: 0 } as const;
