import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerForOversized, resultTooLargeCode } from '../../src/transport/oversized-message.js';

const maxBytes = 4_096;

/** What the line scanner hands over for this text. */
function answerFor(text: string): ReturnType<typeof answerForOversized> {
  const bytes = Buffer.from(text);
  const head = bytes.toString('utf8', 0, 1_024);
  const tail = bytes.toString('utf8', bytes.length - 1_024);
  return answerForOversized({ head, tail, bytes: bytes.length, maxBytes });
}

const filler = 'x'.repeat(10_000);
const result = { content: [{ type: 'text', text: filler }] };
const keysInAnyOrder = fc.shuffledSubarray(['jsonrpc', 'id', 'result'], { minLength: 3 });
const spacing = fc.constantFrom(undefined, 1, 2);

function ordered(keys: readonly string[], values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(keys.map((key) => [key, values[key]]));
}

test('finds the id before or after the result, with any spacing', () => {
  fc.assert(
    fc.property(keysInAnyOrder, fc.nat(), spacing, (keys, id, indent) => {
      const text = JSON.stringify(ordered(keys, { jsonrpc: '2.0', id, result }), undefined, indent);
      expect(answerFor(text.replaceAll('\n', ' '))).toMatchObject({ jsonrpc: '2.0', id });
    }),
  );
});

test('the answer is an error that names the size and the limit', () => {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 7, result });
  expect(answerFor(text)).toEqual({
    jsonrpc: '2.0',
    id: 7,
    error: { code: resultTooLargeCode, message: `The result has ${text.length} bytes; the limit is 4096.` },
  });
});

test('an error that is too large is answered like a result', () => {
  expect(answerFor(JSON.stringify({ jsonrpc: '2.0', id: 3, error: { code: 1, message: filler } }))).toMatchObject({
    id: 3,
  });
});

test.each([
  ['a request of the server', { jsonrpc: '2.0', id: 7, method: 'sampling/createMessage', params: { filler } }],
  ['a request with its id at the end', { jsonrpc: '2.0', method: 'elicitation/create', params: { filler }, id: 7 }],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/message', params: { data: filler } }],
  ['an id inside the result alone', { jsonrpc: '2.0', result: { filler, id: 7 } }],
  ['an id that is not one of ours', { jsonrpc: '2.0', id: 'seven', result }],
])('%s is no answer to anything', (_, message) => {
  expect(answerFor(JSON.stringify(message))).toBeUndefined();
});

test('never throws for any text', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (head, tail) => {
      const answer = answerForOversized({ head, tail, bytes: 1, maxBytes });
      expect(answer === undefined || typeof answer.id === 'number').toBe(true);
    }),
  );
});
