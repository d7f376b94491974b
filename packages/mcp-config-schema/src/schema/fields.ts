import { shownName } from '@x/internal/names';
import * as z from 'zod';

// Creating schemas is expensive. Shared ones are created once, when a file is first checked.
const plainText = once(() => textWithout(/^[^\0]*$/, 'text'));
const textNotEmpty = once(() => textWithout(/^[^\0]*[^\0\s][^\0]*$/, 'text that is not empty'));

/** Text without NUL, which operating systems cannot pass to programs. */
export function text() {
  return plainText();
}

export function filledText(what?: string) {
  return what === undefined ? textNotEmpty() : textWithout(/^[^\0]*[^\0\s][^\0]*$/, what);
}

function textWithout(pattern: RegExp, what: string) {
  const error = expectation(what);
  return z.string({ error }).regex(pattern, { error });
}

export function flag() {
  return z.boolean({ error: expectation('true or false') });
}

export function wholeNumber(minimum: number, maximum: number, unit = '') {
  const error = expectation(`a whole number${unit} from ${minimum} to ${maximum}`);
  return z.int({ error }).check(z.gte(minimum, { error }), z.lte(maximum, { error }));
}

export function seconds(minimum: number, maximum: number) {
  return wholeNumber(minimum, maximum, ' of seconds');
}

export function oneOf<const Words extends readonly string[]>(words: Words) {
  return z.enum(words, { error: expectation(words.join(' or ')) });
}

export function listOf<Item extends z.ZodType>(item: Item, what: string) {
  return z.array(item, { error: expectation(what) });
}

export function mappingOf<Key extends z.ZodType<string, string>, Value extends z.ZodType>(
  key: Key,
  value: Value,
  what: string,
) {
  return z.record(key, value, { error: expectation(what) });
}

const nothing = z.never();
const anything = z.unknown();

/** A map without unknown keys. */
export function knownMapping<Shape extends z.ZodRawShape>(shape: () => Shape, what: string) {
  return mappingWith<Shape, z.core.$strict>(shape, nothing, what);
}

/** A map that may have keys of other programs, which are preserved. */
export function openMapping<Shape extends z.ZodRawShape>(shape: () => Shape, what: string) {
  return mappingWith<Shape, z.core.$loose>(shape, anything, what);
}

function mappingWith<Shape extends z.ZodRawShape, Config extends z.core.$ZodObjectConfig>(
  make: () => Shape,
  catchall: z.ZodType,
  what: string,
): z.ZodObject<Shape, Config> {
  const shape = once(make);
  const schema = new z.ZodObject({
    type: 'object',
    get shape() {
      return shape();
    },
    catchall,
    error: () => expectation(what),
  });
  return schema as unknown as z.ZodObject<Shape, Config>; // the constructor has no types
}

export function optional<Schema extends z.ZodType>(schema: Schema, description: string) {
  return described(z.optional(schema), description);
}

export function withDefault<Schema extends z.ZodType>(
  schema: Schema,
  value: z.core.util.NoUndefined<z.output<Schema>>,
  description: string,
) {
  return described(z._default(schema, value), description);
}

function described<Schema extends z.ZodType>(schema: Schema, description: string): Schema {
  z.globalRegistry.add(schema, { description });
  return schema;
}

/** The `$schema` key of a JSON file, for editors only. */
export function schemaReference() {
  return optional(text(), 'JSON Schema that editors check this file with');
}

export const nameSchema = once(() => {
  const error = expectation('a name of 1 to 128 printable characters that neither starts nor ends with a space');
  return z.string({ error }).regex(shownName, { error });
});

export const environmentSchema = once(() => {
  const error = expectation('the name of an environment variable, without "="');
  const name = z.string({ error }).regex(/^[^=\0]+$/, { error });
  return mappingOf(name, secretValueSchema(), 'a mapping of variable names to text');
});

export const headersSchema = once(() => {
  const error = expectation('the name of an HTTP header');
  const name = z.string({ error }).regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, { error });
  return mappingOf(name, secretValueSchema(), 'a mapping of header names to text');
});

const prefix = 'Expected ';

/** Error text of a schema for `expectedOf`. Every schema of a file has one. */
export function expectation(what: string): string {
  return prefix + what;
}

export function expectedOf(message: string): string {
  return message.startsWith(prefix) ? message.slice(prefix.length) : message;
}

const secretValueError = expectation(
  'text, or a mapping with secret_ref alone, such as "env:NAME" or "keychain:service/account"',
);
const referenceError = expectation('a reference with a scheme, such as "env:NAME" or "keychain:service/account"');

const secretValueSchema = once(() =>
  z.union(
    [
      z.string({ error: secretValueError }).regex(/^[^\0]*$/, { error: secretValueError }),
      z.strictObject({
        secret_ref: z
          .string({ error: referenceError })
          .regex(/^[a-z][a-z0-9+.-]*:[^\0\r\n]+$/, { error: referenceError })
          .describe('Source of the value: env:NAME, file:PATH, command:LINE or keychain:SERVICE/ACCOUNT'),
      }),
    ],
    { error: secretValueError },
  ),
);

export type SecretValue = z.infer<ReturnType<typeof secretValueSchema>>;

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
