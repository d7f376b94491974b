import { expect, test } from 'vitest';
import { isControlError } from '../../src/control/control-error.js';
import { type Method, methods } from '../../src/control/methods.js';
import { flag, kind, listOf, number, object, optional, readParams, record, text } from '../../src/control/params.js';

const shape = {
  name: text,
  lines: optional(number),
  follow: optional(flag),
  tools: optional(listOf(object({ server: text, digest: text }))),
  args: optional(record),
  mode: optional(kind('"a" or "b"', (value) => (value === 'a' || value === 'b' ? value : undefined))),
};

function refusalOf(given: Readonly<Record<string, unknown>>): string {
  try {
    readParams('draw', shape, given);
    return 'none';
  } catch (error) {
    if (!isControlError(error)) throw error;
    expect(error).toMatchObject({ code: 'invalid-request', exitCode: 2 });
    return error.message;
  }
}

test('valid values are returned unchanged, and omitted ones stay absent', () => {
  const given = { name: 'x', lines: 0, follow: false, tools: [{ server: 'a', digest: 'b' }], args: {}, mode: 'b' };
  expect(readParams('draw', shape, given)).toEqual(given);
  expect(readParams('draw', shape, { name: '', lines: undefined })).toEqual({ name: '' });
});

test('unknown parameters and fields are dropped', () => {
  const given = { name: 'x', surprise: 1, tools: [{ server: 'a', digest: 'b', surprise: 1 }] };
  expect(readParams('draw', shape, given)).toEqual({ name: 'x', tools: [{ server: 'a', digest: 'b' }] });
});

test.each([
  [{}, 'The parameter "name" of the request "draw" must be a string. It is missing.'],
  [{ name: 7 }, 'The parameter "name" of the request "draw" must be a string. It is a number.'],
  [{ name: 'x', lines: '7' }, 'The parameter "lines" of the request "draw" must be a number. It is a string.'],
  [{ name: 'x', follow: null }, 'The parameter "follow" of the request "draw" must be true or false. It is null.'],
  [{ name: 'x', mode: 'c' }, 'The parameter "mode" of the request "draw" must be "a" or "b". It is a string.'],
  [
    { name: 'x', args: [] },
    'The parameter "args" of the request "draw" must be an object. It is a list that does not fit.',
  ],
  [
    { name: 'x', tools: [{ server: 'a' }] },
    'The parameter "tools" of the request "draw" must be a list in which each item is an object with "server" (a string), ' +
      '"digest" (a string). It is a list that does not fit.',
  ],
])('%j is refused with the request, the parameter and the expected type', (given, message) => {
  expect(refusalOf(given)).toBe(message);
});

test.each(Object.entries<Method>(methods))('%s refuses each parameter of a wrong type', (name, row) => {
  for (const parameter of Object.keys(row.params ?? {})) {
    expect(() => readParams(name, { [parameter]: row.params?.[parameter] ?? text }, { [parameter]: () => 0 })).toThrow(
      `The parameter "${parameter}" of the request "${name}" must be `,
    );
  }
});
