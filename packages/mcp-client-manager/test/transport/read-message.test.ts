import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readableResponse } from '../../src/transport/read-message.js';

const malformed = { code: -32_091, message: 'The response has neither a result object nor an error' };

test.each([
  ['a good result', { id: 1, result: { a: 1 } }, { id: 1, result: { a: 1 } }],
  ['a result beside an error that is null', { id: 1, result: {}, error: null }, { id: 1, result: {} }],
  ['a key that nobody knows', { id: 'a', result: {}, time: 5 }, { id: 'a', result: {} }],
  [
    'a good error',
    { id: 1, error: { code: 5, message: 'm', data: 1 } },
    { id: 1, error: { code: 5, message: 'm', data: 1 } },
  ],
  [
    'an error without code and message',
    { id: 1, error: {} },
    { id: 1, error: { code: -32_091, message: 'The error has no message' } },
  ],
  ['a result that is text', { id: 1, result: 'text' }, { id: 1, error: malformed }],
  ['a result that is a list', { id: 1, result: [] }, { id: 1, error: malformed }],
  ['nothing at all', { id: 1 }, { id: 1, error: malformed }],
])('an answer with %s', (_, answer, readable) => {
  expect(readableResponse({ jsonrpc: '2.0', ...answer })).toEqual({ jsonrpc: '2.0', ...readable });
});

test.each([{ method: 'ping', id: 1 }, { method: 'notifications/progress', params: {} }, {}, { id: null, result: {} }])(
  'what is no answer stays as it is: %j',
  (message) => {
    const whole = { jsonrpc: '2.0' as const, ...message };
    expect(readableResponse(whole)).toBe(whole);
  },
);

test('turns any response into one with a result or an error', () => {
  const fields = { id: fc.integer(), result: fc.anything(), error: fc.anything() };
  fc.assert(
    fc.property(fc.record(fields, { requiredKeys: ['id'] }), (answer) => {
      const { id, result, error } = readableResponse({ jsonrpc: '2.0', ...answer });
      expect(id).toBe(answer.id);
      expect((result === undefined) !== (error === undefined)).toBe(true);
    }),
  );
});
