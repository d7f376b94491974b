import { text } from 'node:stream/consumers';
import { isRecord } from '@x/internal/json';
import type { Io } from '../command.js';
import { looksLikeOption, readingsOf } from './assignments.js';
import { faultAt, faultInWord, readLiteral, spellings, strayWord } from './word-fault.js';

/** Arguments as written: one object, or words that get their keys and types from the tool's schema. */
export type WrittenArguments =
  | { readonly kind: 'object'; readonly value: Readonly<Record<string, unknown>> }
  | { readonly kind: 'words'; readonly words: readonly string[] };

export interface WrittenCall {
  readonly tool: string;
  readonly arguments: WrittenArguments;
}

/**
 * Parses a call as people and models write it: a tool and words (see `readWords`), or `tool(key: value)` as one word.
 *
 * @throws {UsageError} The words have none of these forms. A mark shows the place.
 */
export async function readCall(tool: string, words: readonly string[], io: Pick<Io, 'stdin'>): Promise<WrittenCall> {
  if (!isFunctionCall(tool)) return { tool, arguments: await readWords(words, io) };
  const call = parseFunctionCall(tool);
  const [first] = withoutDashes(words);
  if (first === undefined) return { tool: call.tool, arguments: { kind: 'object', value: call.args } };
  throw faultInWord(`"${first.slice(0, 80)}" follows a call that has its arguments in brackets.`, {
    words: [tool, ...words],
    index: words.indexOf(first) + 1,
  });
}

/** True for `tool(…`, also if the closing bracket is missing. */
export function isFunctionCall(word: string): boolean {
  return /^\s*[^\s()'"{[]+\(/.test(word) || /^\s*[^\s()'"{[]+\s+\([\s\S]*\)[\s;]*$/.test(word);
}

function parseFunctionCall(call: string): { readonly tool: string; readonly args: Record<string, unknown> } {
  const open = call.indexOf('(');
  const args = readLiteral('The call cannot be read', call, (reader) => {
    reader.at = open + 1;
    reader.blanks();
    const isObject = call[reader.at] === '{';
    const found = isObject ? reader.object() : reader.entries(')', ':=');
    if (isObject) {
      reader.blanks();
      if (call[reader.at] !== ')') throw reader.fault('")" is missing');
      reader.at += 1;
    }
    reader.blanks();
    if (call[reader.at] === ';') reader.at += 1;
    return found;
  });
  return { tool: call.slice(0, open).trim(), args };
}

/**
 * Parses the words after a tool's name: none, one object, `-` for an object on stdin, or `key=value`, `key:value`,
 * `key:=json`, `--key value` and `--key=value`. `--` may precede them.
 *
 * @throws {UsageError} The words have none of these forms.
 */
async function readWords(all: readonly string[], io: Pick<Io, 'stdin'>): Promise<WrittenArguments> {
  const words = withoutDashes(all);
  const [first] = words;
  if (first === undefined) return { kind: 'object', value: {} };
  const other = words.findIndex((word) => word === '-' || /^\s*[{[]/.test(word));
  const isValue = other > 0 && mayTakeNext(words[other - 1] ?? '');
  if (other < 0 || isValue) {
    requireForms(words);
    return { kind: 'words', words };
  }
  if (words.length === 1) return { kind: 'object', value: parseObject(first === '-' ? await text(io.stdin) : first) };
  throw faultInWord(
    first === '-'
      ? 'Arguments on stdin and arguments on the command line exclude each other.'
      : 'An object with the arguments must be the only word.',
    { words, index: other },
    { hint: `Quote the object as one word. ${spellings}` },
  );
}

function withoutDashes(words: readonly string[]): readonly string[] {
  const at = words.indexOf('--');
  return at < 0 ? words : [...words.slice(0, at), ...words.slice(at + 1)];
}

/** Reports mistakes that need no schema to be found, before a server starts. */
function requireForms(words: readonly string[]): void {
  for (const [index, word] of words.entries()) {
    const follows = index > 0 && mayTakeNext(words[index - 1] ?? '');
    if (follows || looksLikeOption(word) || readingsOf(word).length > 0) continue;
    throw strayWord(words, index);
  }
}

function mayTakeNext(word: string): boolean {
  return (looksLikeOption(word) && !word.includes('=')) || /^[^=]+:$/.test(word);
}

function parseObject(json: string): Readonly<Record<string, unknown>> {
  const value = readLiteral('The arguments cannot be read', json, (reader) => reader.value());
  if (isRecord(value)) return value;
  throw faultAt('The arguments must be an object.', { text: json, at: 0 }, { hint: spellings });
}
