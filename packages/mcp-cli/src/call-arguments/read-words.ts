import { text } from 'node:stream/consumers';
import { messageOf } from '@x/internal/errors';
import { isRecord } from '@x/internal/json';
import { UsageError } from '../exit-codes.js';
import type { Io } from '../io.js';

/** Arguments as written: one JSON object, or pairs that get their types from the tool's schema. */
export type WrittenArguments =
  | { readonly kind: 'object'; readonly value: Readonly<Record<string, unknown>> }
  | { readonly kind: 'pairs'; readonly pairs: readonly WrittenPair[] };

export interface WrittenPair {
  readonly key: string;
  readonly text: string;
  /** Written with `:=`: the text is JSON. */
  readonly isJson: boolean;
}

const example = `Write them as one word, such as '{"path": "README.md"}', as path=README.md, or pass - and send them on stdin.`;

/**
 * Parses the words after a tool's name: none, one JSON object, `-` for an object on stdin, or `key=value` and
 * `key:=json`.
 *
 * @throws {UsageError} The words have none of these forms.
 */
export async function readWords(words: readonly string[], io: Pick<Io, 'stdin'>): Promise<WrittenArguments> {
  const [first = '{}', ...others] = words;
  if (others.length === 0 && (first === '-' || pairOf(first) === undefined)) {
    return { kind: 'object', value: parseObject(first === '-' ? await text(io.stdin) : first) };
  }
  return { kind: 'pairs', pairs: readPairs(words) };
}

/** @throws {UsageError} A word is no pair. */
export function readPairs(words: readonly string[]): readonly WrittenPair[] {
  return words.map((word) => {
    const pair = pairOf(word);
    if (pair) return pair;
    throw new UsageError(`The argument "${word.slice(0, 80)}" must have the form key=value.`, { hint: example });
  });
}

/** JSON text has no `=` before its first bracket or quote; a key contains neither. */
function pairOf(word: string): WrittenPair | undefined {
  const found = /^([^={}[\]"\s]+?)(:?=)([\s\S]*)$/.exec(word);
  if (!found) return undefined;
  const [, key = '', operator, value = ''] = found;
  return { key, text: value, isJson: operator === ':=' };
}

function parseObject(json: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    const reason = messageOf(error);
    throw new UsageError(`The arguments are not JSON: ${reason}.`, { hint: example, cause: error });
  }
  if (!isRecord(value)) throw new UsageError('The arguments must be a JSON object.', { hint: example });
  return value;
}
