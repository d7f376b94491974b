import { textLimits } from '@x/internal/syntax';
import JSON5 from 'json5';
import { dataFromJson } from '../data/data-tree.js';
import type { Dialect, OpenText } from '../dialect.js';
import { DocumentFault, unreadable, unsupported } from '../document-fault.js';
import type { JsonValue } from '../document-shape.js';
import { lineStart } from '../text/text-lines.js';
import { jsonDialect } from './json-dialect.js';

const jsonc = jsonDialect({ comments: true, trailingCommas: true });

/** Reads all of JSON5, but edits only texts that are also JSONC. */
export const json5Dialect: Dialect = {
  open: (text) =>
    openedAsJsonc(text) ?? {
      read: () => readJson5(text),
      locate: () => {
        throw unsupported(
          'This text uses JSON5 features beyond comments and trailing commas; it can be read but not edited',
        );
      },
    },
};

function openedAsJsonc(text: string): OpenText | undefined {
  try {
    return jsonc.open(text);
  } catch (error) {
    if (error instanceof DocumentFault) return undefined;
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
