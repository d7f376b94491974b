import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { ConfigPath } from '../issues.js';
import { limits } from './limits.js';
import { EntryCollector, type ReportFault, type SourceNode, tooDeep } from './source-tree.js';
import type { TextPositions } from './text-positions.js';

/** Reads JSON with comments and trailing commas. Gives nothing when the text is empty or is not JSON. */
export function readJson(text: string, positions: TextPositions, report: ReportFault): SourceNode | undefined {
  const { tokens, deepAt } = scan(text);
  if (tokens === 0) return undefined;
  if (deepAt !== undefined) {
    report(tooDeep, deepAt);
    return undefined;
  }

  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  for (const error of errors) {
    const message = messages[printParseErrorCode(error.error)] ?? 'This is not JSON';
    report({ code: 'syntax', severity: 'error', message }, error.offset);
  }
  if (root === undefined || errors.length > 0) return undefined;

  const convert = (node: Node, path: ConfigPath): SourceNode => {
    const start = node.offset;
    const children = node.children ?? [];
    if (node.type === 'array') {
      return { kind: 'list', start, items: children.map((child, index) => convert(child, [...path, index])) };
    }
    if (node.type !== 'object') return { kind: 'scalar', start, value: node.value };

    const collector = new EntryCollector(path, report, positions.at);
    for (const { children: [key, value] = [] } of children) {
      if (key === undefined || value === undefined) continue; // only in a text with errors
      collector.add(key.value, key.offset, () => convert(value, [...path, key.value]));
    }
    return { kind: 'map', start, entries: collector.entries };
  };
  return convert(root, []);
}

// `parseTree` calls itself for each level, so a deep text has to be found before it is parsed. Compared as numbers
// because the library's token kinds are a const enum, which does not survive single-file compilation.
const opening: ReadonlySet<number> = new Set([1, 3]);
const closing: ReadonlySet<number> = new Set([2, 4]);
const endOfText = 17;

function scan(text: string): { readonly tokens: number; readonly deepAt?: number } {
  const scanner = createScanner(text, true);
  let tokens = 0;
  let depth = 0;
  for (let kind: number = scanner.scan(); kind !== endOfText; kind = scanner.scan()) {
    tokens += 1;
    if (closing.has(kind)) depth -= 1;
    if (opening.has(kind) && ++depth > limits.depth) return { tokens, deepAt: scanner.getTokenOffset() };
  }
  return { tokens };
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
  UnexpectedEndOfComment: 'A comment is not closed',
  UnexpectedEndOfString: 'A text is not closed with a double quote on its line',
  UnexpectedEndOfNumber: 'A number is not finished',
  InvalidUnicode: 'Expected four hexadecimal digits after "\\u"',
  InvalidEscapeCharacter: 'A backslash must be written twice, or stand before one of " \\ / b f n r t u',
  InvalidCharacter: 'A text cannot hold this control character as it is',
};
