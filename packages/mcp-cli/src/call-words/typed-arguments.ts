import { UsageError } from '../command.js';
import { type Assignment, assignmentsIn } from './assignments.js';
import { isExact } from './literal.js';
import { declaredIn, follow, type Json, schemaOf, typeOf, typesOf } from './schema-types.js';
import { readLiteral } from './word-fault.js';

interface TypingOptions {
  /** Long options of the command, such as `--timeout`, for suggestions. Default: none. */
  readonly ownOptions?: readonly string[];
}

/**
 * Converts words to arguments by the types in the schema. A repeated key becomes a list if the schema allows a list. A
 * value without a type in the schema is JSON if it parses, else a string.
 *
 * @throws {UsageError} A value does not fit its type, or a key is unknown, ambiguous or must not be repeated.
 */
export function typedArguments(
  words: readonly string[],
  schema: Json,
  { ownOptions = [] }: TypingOptions = {},
): Record<string, unknown> {
  const byKey = new Map<string, Assignment[]>();
  for (const each of assignmentsIn(words, schema, ownOptions)) {
    byKey.set(each.key, [...(byKey.get(each.key) ?? []), each]);
  }
  return Object.fromEntries(Array.from(byKey, ([key, all]) => [key, argumentOf(key, all, schema)]));
}

/** Options of the command that are given and that the tool has as an argument, too, without a value. */
export function takenOptions(
  given: readonly string[],
  args: Readonly<Record<string, unknown>>,
  schema: Json,
): readonly string[] {
  const declared = declaredIn(schema);
  return given.filter((option) => {
    const key = option.replace(/^--/, '');
    return Object.hasOwn(declared, key) && !Object.hasOwn(args, key);
  });
}

function argumentOf(key: string, all: readonly Assignment[], root: Json): unknown {
  const [first] = all as [Assignment];
  const wanted = schemaOf(key, root);
  const types = typesOf(wanted, root);
  if (types.has('array') && !first.isJson && !(all.length === 1 && /^\s*\[/.test(first.text))) {
    const items = follow(wanted.items, root);
    return all.map((each) => oneValue(key, each, typesOf(items, root)));
  }
  if (all.length > 1) throw new UsageError(`The argument "${key}" is given ${all.length} times but is not a list.`);
  return oneValue(key, first, types);
}

function oneValue(key: string, { text, isJson }: Assignment, types: ReadonlySet<string>): unknown {
  if (isJson) return readLiteral(`The argument "${key}" must be JSON`, text, (reader) => reader.value());
  const value = parse(text);
  if (types.size === 0) return value === undefined || isRounded(text, value) ? text : value;
  const type = typeOf(value);
  const fits = value !== undefined && (types.has(type) || (type === 'integer' && types.has('number')));
  // Other types take precedence over string: of "string or number", `5` is the number.
  if (fits && type !== 'string' && !isRounded(text, value)) return value;
  if (types.has('string')) return text;
  if (fits && isRounded(text, value)) {
    throw new UsageError(`The argument "${key}" is too large: the number ${text.slice(0, 80)} would be rounded.`);
  }
  throw notThat(key, text, [...types].join(' or '));
}

function isRounded(text: string, value: unknown): boolean {
  return typeof value === 'number' && !isExact(text.trim(), value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function notThat(key: string, text: string, wanted: string): UsageError {
  return new UsageError(`The argument "${key}" must be ${wanted}, not "${text.slice(0, 80)}".`, {
    hint: `Use := for any JSON, as in '${key}:=[1, 2]'.`,
  });
}
