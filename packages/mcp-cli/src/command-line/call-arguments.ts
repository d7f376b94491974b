import { text } from 'node:stream/consumers';
import { messageOf } from '@x/internal/errors';
import { isRecord } from '@x/internal/json';
import { type Io, UsageError } from '../command.js';
import { didYouMean } from '../output/print.js';

/** Arguments as written: one JSON object, or pairs that get their types from the tool's schema. */
export type WrittenArguments =
  | { readonly kind: 'object'; readonly value: Readonly<Record<string, unknown>> }
  | { readonly kind: 'pairs'; readonly pairs: readonly WrittenPair[] };

interface WrittenPair {
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

type Json = Readonly<Record<string, unknown>>;

/**
 * Converts pairs to arguments by the types in the schema. A repeated key becomes a list if the schema allows a list. A
 * value without a type in the schema is JSON if it parses, else a string.
 *
 * @throws {UsageError} A value does not fit its type, or a key is unknown or must not be repeated.
 */
export function typedArguments(pairs: readonly WrittenPair[], schema: Json): Record<string, unknown> {
  const properties = recordOf(schema.properties);
  const texts = new Map<string, WrittenPair[]>();
  for (const pair of pairs) {
    if (!Object.hasOwn(properties, pair.key) && schema.additionalProperties === false)
      throw noSuchKey(pair.key, properties);
    texts.set(pair.key, [...(texts.get(pair.key) ?? []), pair]);
  }
  return Object.fromEntries(
    Array.from(texts, ([key, all]) => {
      const wanted = Object.hasOwn(properties, key) ? follow(properties[key], schema) : {};
      return [key, argumentOf(key, all, wanted, schema)];
    }),
  );
}

function argumentOf(key: string, pairs: readonly WrittenPair[], wanted: Json, root: Json): unknown {
  const [first] = pairs as [WrittenPair];
  const types = typesOf(wanted, root);
  if (types.has('array') && !first.isJson && !(pairs.length === 1 && /^\s*\[/.test(first.text))) {
    const items = follow(wanted.items, root);
    return pairs.map((pair) => oneValue(key, pair, typesOf(items, root)));
  }
  if (pairs.length > 1) throw new UsageError(`The argument "${key}" is given ${pairs.length} times but is not a list.`);
  return oneValue(key, first, types);
}

function oneValue(key: string, { text, isJson }: WrittenPair, types: ReadonlySet<string>): unknown {
  if (isJson) return parse(text, () => notThat(key, text, 'JSON'));
  if (types.size === 0) return parse(text, () => text);
  const value = parse(text, () => undefined);
  const type = typeOf(value);
  const fits = value !== undefined && (types.has(type) || (type === 'integer' && types.has('number')));
  // Other types take precedence over string: of "string or number", `5` is the number.
  if (fits && type !== 'string') return value;
  if (types.has('string')) return text;
  throw notThat(key, text, [...types].join(' or '));
}

/** JSON types that a schema allows; empty if it does not restrict them. */
function typesOf(schema: Json, root: Json, depth = 0): ReadonlySet<string> {
  if (depth > 8) return new Set();
  const { type, anyOf, oneOf, enum: values, const: only } = schema;
  if (typeof type === 'string') return new Set([type]);
  if (Array.isArray(type)) return new Set(type.filter((each) => typeof each === 'string'));
  if (Array.isArray(values)) return new Set(values.map(typeOf));
  if (only !== undefined) return new Set([typeOf(only)]);
  const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  const types = choices.map((choice) => typesOf(follow(choice, root), root, depth + 1));
  // One unrestricted alternative allows every type.
  return types.some((each) => each.size === 0) ? new Set() : new Set(types.flatMap((each) => [...each]));
}

/** Resolves `$ref` within the tool's own schema. */
function follow(schema: unknown, root: Json): Json {
  let current = recordOf(schema);
  for (let step = 0; step < 8 && typeof current.$ref === 'string' && current.$ref.startsWith('#/'); step += 1) {
    const keys = current.$ref
      .slice(2)
      .split('/')
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    let target: unknown = root;
    for (const key of keys) target = Object.hasOwn(recordOf(target), key) ? recordOf(target)[key] : undefined;
    current = recordOf(target);
  }
  return current;
}

function parse<Otherwise>(text: string, otherwise: () => Otherwise): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const value = otherwise();
    if (value instanceof Error) throw value;
    return value;
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function notThat(key: string, text: string, wanted: string): UsageError {
  return new UsageError(`The argument "${key}" must be ${wanted}, not "${text.slice(0, 80)}".`, {
    hint: `Use := for any JSON, as in '${key}:=[1, 2]'.`,
  });
}

function noSuchKey(key: string, properties: Json): UsageError {
  const keys = Object.keys(properties);
  return new UsageError(`The tool has no argument "${key.slice(0, 80)}".`, {
    hint: `${didYouMean(key, keys)}Its arguments: ${keys.slice(0, 50).join(', ') || 'none'}.`,
  });
}

function recordOf(value: unknown): Json {
  return isRecord(value) ? value : {};
}
