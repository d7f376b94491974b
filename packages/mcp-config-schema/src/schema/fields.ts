import { z } from 'zod';
import { expectation } from './expectation.js';

/** Text without the NUL character, which no operating system passes on. */
export function text(what = 'text') {
  const error = expectation(what);
  return z.string({ error }).regex(/^[^\0]*$/, { error });
}

export function filledText(what = 'text that is not empty') {
  const error = expectation(what);
  return z.string({ error }).regex(/^[^\0]*[^\0\s][^\0]*$/, { error });
}

export function flag() {
  return z.boolean({ error: expectation('true or false') });
}

export function wholeNumber(minimum: number, maximum: number, unit = '') {
  const error = expectation(`a whole number${unit} from ${minimum} to ${maximum}`);
  return z.int({ error }).min(minimum, { error }).max(maximum, { error });
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

/** A mapping whose keys are all known. */
export function knownMapping<Shape extends z.ZodRawShape>(shape: Shape, what: string) {
  return z.strictObject(shape, { error: expectation(what) });
}

/** A mapping that may hold keys of other programs; they are kept and not looked at. */
export function openMapping<Shape extends z.ZodRawShape>(shape: Shape, what: string) {
  return z.looseObject(shape, { error: expectation(what) });
}

const nameError = expectation('a name of 1 to 128 printable characters that neither starts nor ends with a space');

/** A name that people and logs can show: of a server, a tool or a role. */
export const nameSchema = z
  .string({ error: nameError })
  .regex(/^(?=[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]{1,128}$)\S(.*\S)?$/u, { error: nameError });

const variableNameError = expectation('the name of an environment variable, without "="');

export const environmentSchema = mappingOf(
  z.string({ error: variableNameError }).regex(/^[^=\0]+$/, { error: variableNameError }),
  text(),
  'a mapping of variable names to text',
);

const headerNameError = expectation('the name of an HTTP header');

export const headersSchema = mappingOf(
  z.string({ error: headerNameError }).regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, { error: headerNameError }),
  text(),
  'a mapping of header names to text',
);
