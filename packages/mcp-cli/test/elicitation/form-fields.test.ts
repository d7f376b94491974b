import { expect, test } from 'vitest';
import { checkTyped, type FormField, formFields, looksSecret } from '../../src/elicitation/form-fields.js';

function field(property: object, name = 'field'): FormField {
  const [only] = formFields({ type: 'object', properties: { [name]: property } });
  if (only === undefined) throw new Error('there is no field');
  return only;
}

function fault(property: object, typed: string): string | undefined {
  const read = field(property);
  if (read.kind !== 'text' && read.kind !== 'number') throw new Error(`it is a ${read.kind}`);
  return checkTyped(read, typed);
}

test.each([
  ['email', 'ann@example.com', 'ann'],
  ['uri', 'https://example.com', 'example'],
  ['date', '2026-02-28', '2026-02-30'],
  ['date-time', '2026-02-28T12:30:00+01:00', '2026-02-28 12:30'],
])('checks the format %s', (format, right, wrong) => {
  expect(fault({ type: 'string', format }, right)).toBeUndefined();
  expect(fault({ type: 'string', format }, wrong)).toContain('such as');
});

test('checks lengths and ranges, and says the bound', () => {
  expect(fault({ type: 'string', maxLength: 2 }, 'abc')).toContain('at most 2 characters; these are 3');
  expect(fault({ type: 'string', maxLength: 2 }, '🦊🦊')).toBeUndefined();
  expect(fault({ type: 'number', minimum: 1.5 }, '1')).toContain('at least 1.5');
  expect(fault({ type: 'integer' }, '1.5')).toContain('whole number');
  expect(fault({ type: 'number' }, '9007199254740993')).toContain('rounded');
  expect(fault({ type: 'number' }, 'x')).toContain('number');
});

test('reads the choices of every form of enum', () => {
  const choices = [{ value: 'a', label: 'A' }];
  expect(field({ type: 'string', enum: ['a'], enumNames: ['A'] })).toMatchObject({ kind: 'choice', choices });
  expect(field({ type: 'string', oneOf: [{ const: 'a', title: 'A' }] })).toMatchObject({ kind: 'choice', choices });
  expect(field({ type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } })).toMatchObject({
    kind: 'choices',
    choices,
  });
  expect(field({ type: 'array', items: { enum: ['a'] }, default: ['a', 'b'] })).toMatchObject({ fallback: ['a'] });
});

test.each([
  [{ type: 'object' }],
  [{ type: 'array', items: { type: 'string' } }],
  [{ type: 'string', enum: [] }],
  [{ type: 'string', enum: [1] }],
  [{}],
])('refuses the field %j as invalid params', (property) => {
  expect(() => field(property)).toThrow(
    expect.objectContaining({ code: -32_602, message: expect.stringContaining('"field"') }),
  );
});

test('refuses more fields than a person answers', () => {
  const properties = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`f${index}`, { type: 'string' }]));
  expect(() => formFields({ type: 'object', properties })).toThrow('65 fields');
});

test.each([
  ['api_key', {}, true],
  ['GITHUB_TOKEN', {}, true],
  ['value', { title: 'Your password' }, true],
  ['value', { description: 'The one-time code that we sent' }, true],
  ['name', { title: 'Passenger' }, false],
  ['keyboard', { description: 'Keys of the board' }, false],
])('the field %s with %j looks like a secret: %j', (name, texts, expected) => {
  expect(looksSecret(field({ type: 'string', ...texts }, name))).toBe(expected);
});
