import { isRecord } from '@x/internal/json';
import { isSecretName } from '@x/internal/secrets';

/** Limits of a form, against servers that fill the terminal. */
const maxFields = 64;
const maxChoices = 500;

interface FieldBase {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly isRequired: boolean;
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** A field of a form. Texts are those of the server, unchanged. */
export type FormField = FieldBase &
  (
    | {
        readonly kind: 'text';
        readonly format: string | undefined;
        readonly minLength: number;
        readonly maxLength: number;
        readonly fallback: string | undefined;
      }
    | {
        readonly kind: 'number';
        readonly isInteger: boolean;
        readonly minimum: number;
        readonly maximum: number;
        readonly fallback: number | undefined;
      }
    | { readonly kind: 'flag'; readonly fallback: boolean | undefined }
    | { readonly kind: 'choice'; readonly choices: readonly Choice[]; readonly fallback: string | undefined }
    | {
        readonly kind: 'choices';
        readonly choices: readonly Choice[];
        readonly minItems: number;
        readonly maxItems: number;
        readonly fallback: readonly string[] | undefined;
      }
  );

/** The answer to one field. `undefined`: it is left out. */
export type FieldValue = string | number | boolean | readonly string[] | undefined;

/**
 * Reads the `requestedSchema` of a form.
 *
 * @throws {Error} With the code of invalid params: a field has a type that forms do not have, or there are too many.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema
 */
export function formFields(schema: unknown): readonly FormField[] {
  const { properties, required } = isRecord(schema) ? schema : {};
  if (!isRecord(properties)) throw invalidForm('The form has no properties');
  const entries = Object.entries(properties);
  if (entries.length > maxFields)
    throw invalidForm(`The form has ${entries.length} fields, at most ${maxFields} can be asked`);
  const needed = new Set(Array.isArray(required) ? required : []);
  return entries.map(([name, property]) => formField(name, isRecord(property) ? property : {}, needed.has(name)));
}

function formField(name: string, property: Readonly<Record<string, unknown>>, isRequired: boolean): FormField {
  const { type, title, description } = property;
  const base = { name, title: textOf(title), description: textOf(description), isRequired };
  const fallback = property.default;
  switch (type) {
    case 'boolean':
      return { ...base, kind: 'flag', fallback: typeof fallback === 'boolean' ? fallback : undefined };
    case 'number':
    case 'integer':
      return {
        ...base,
        kind: 'number',
        isInteger: type === 'integer',
        minimum: numberOf(property.minimum) ?? Number.NEGATIVE_INFINITY,
        maximum: numberOf(property.maximum) ?? Number.POSITIVE_INFINITY,
        fallback: numberOf(fallback),
      };
    case 'array': {
      const choices = choicesOf(name, isRecord(property.items) ? property.items : {});
      if (choices === undefined) throw invalidForm(`The field "${name}" is a list without choices`);
      return {
        ...base,
        kind: 'choices',
        choices,
        minItems: numberOf(property.minItems) ?? 0,
        maxItems: numberOf(property.maxItems) ?? Number.POSITIVE_INFINITY,
        fallback: Array.isArray(fallback)
          ? choices.map(({ value }) => value).filter((value) => fallback.includes(value))
          : undefined,
      };
    }
    case 'string': {
      const choices = choicesOf(name, property);
      if (choices !== undefined) {
        const known = choices.find(({ value }) => value === fallback);
        return { ...base, kind: 'choice', choices, fallback: known?.value };
      }
      return {
        ...base,
        kind: 'text',
        format: textOf(property.format),
        minLength: numberOf(property.minLength) ?? 0,
        maxLength: numberOf(property.maxLength) ?? Number.POSITIVE_INFINITY,
        fallback: textOf(fallback),
      };
    }
    default:
      throw invalidForm(
        `The field "${name}" has no type of a form: string, number, integer, boolean or a list of choices`,
      );
  }
}

function choicesOf(name: string, property: Readonly<Record<string, unknown>>): readonly Choice[] | undefined {
  const { enum: values, enumNames, oneOf, anyOf } = property;
  const titled = [oneOf, anyOf].find((list) => Array.isArray(list)) as readonly unknown[] | undefined;
  const labels = Array.isArray(enumNames) ? enumNames : [];
  const choices = Array.isArray(values)
    ? values.map((value, index) => ({ value, label: textOf(labels[index]) ?? value }))
    : titled?.map((each) =>
        isRecord(each) ? { value: each.const, label: textOf(each.title) ?? each.const } : undefined,
      );
  if (choices === undefined) return undefined;
  if (choices.length === 0 || choices.length > maxChoices || !choices.every((each) => typeof each?.value === 'string'))
    throw invalidForm(`The choices of the field "${name}" must be 1 to ${maxChoices} strings`);
  return choices as readonly Choice[];
}

/** What is wrong with the text typed for a field, or `undefined`. An empty text is right. */
export function checkTyped(field: FormField & { readonly kind: 'text' | 'number' }, typed: string): string | undefined {
  if (typed === '') return undefined;
  if (field.kind === 'number') return checkNumber(field, typed);
  const { format, minLength, maxLength } = field;
  const length = [...typed].length;
  if (length < minLength) return `Type at least ${minLength} characters; these are ${length}.`;
  if (length > maxLength) return `Type at most ${maxLength} characters; these are ${length}.`;
  const isRight = format === undefined ? undefined : formats.get(format);
  return isRight === undefined || isRight.test(typed) ? undefined : `Type ${isRight.example}.`;
}

function checkNumber({ isInteger, minimum, maximum }: FormField & { readonly kind: 'number' }, typed: string) {
  const value = Number(typed);
  if (typed.trim() === '' || !Number.isFinite(value)) return 'Type a number, such as 42.';
  if (isInteger && !Number.isInteger(value)) return 'Type a whole number, such as 42.';
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return 'Type a shorter number: this one would be rounded.';
  if (value < minimum) return `Type a number of at least ${minimum}.`;
  if (value > maximum) return `Type a number of at most ${maximum}.`;
  return undefined;
}

export function checkCount(
  { minItems, maxItems }: FormField & { readonly kind: 'choices' },
  count: number,
): string | undefined {
  if (count < minItems) return `Choose at least ${minItems}; these are ${count}.`;
  return count > maxItems ? `Choose at most ${maxItems}; these are ${count}.` : undefined;
}

/** True if a field seems to want a secret, which servers must not request in a form. */
export function looksSecret({ name, title = '', description = '' }: FormField): boolean {
  if (isSecretName(name) || isSecretName(title.trim().replace(/\s+/g, '_'))) return true;
  return secretWords.test(`${title} ${description}`.slice(0, 4_096));
}

const secretWords =
  /\b(?:pass(?:word|phrase|code)s?|api[ _-]?keys?|(?:access|private|secret|security)[ _-](?:key|token|code)s?|secrets?|credit card|card number|cvv|one-time code)\b/i;

/** Formats of the protocol. Others are not checked. */
const formats: ReadonlyMap<string, { readonly example: string; test(text: string): boolean }> = new Map([
  ['email', { example: 'an email address, such as ann@example.com', test: (text) => /^[^\s@]+@[^\s@]+$/.test(text) }],
  ['uri', { example: 'an address, such as https://example.com/', test: (text) => URL.canParse(text) }],
  ['date', { example: 'a date, such as 2026-02-28', test: isDate }],
  [
    'date-time',
    {
      example: 'a time, such as 2026-02-28T12:30:00Z',
      test: (text) => isDate(text.slice(0, 10)) && isTime(text.slice(10)),
    },
  ],
]);

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isTime(text: string): boolean {
  return /^[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-][0-2]\d:[0-5]\d)$/.test(text);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function invalidForm(message: string): Error {
  return Object.assign(new Error(message), { code: -32_602 });
}
