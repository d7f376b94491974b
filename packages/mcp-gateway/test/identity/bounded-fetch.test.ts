import { expect, test } from 'vitest';
import { fetchWithin } from '../../src/identity/bounded-fetch.js';
import { serveOnLoopback } from '../helpers/serve-on-loopback.js';

/** What `fetchWithin` makes of an answer that arrives in these pieces. */
async function fetched(maxBytes: number, status: number, ...pieces: readonly Buffer[]) {
  await using server = await serveOnLoopback(async (_, response) => {
    response.writeHead(status, { 'x-kept': 'yes' });
    for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve));
    response.end();
  });
  const answer = await fetchWithin(maxBytes)(server.url.href, {});
  return { status: answer.status, kept: answer.headers.get('x-kept'), text: await answer.text() };
}

const text = Buffer.from('zwölf');

test.each<[string, number, readonly Buffer[], string]>([
  ['a text', 200, [text], 'zwölf'],
  ['a text that is cut within a character', 200, [text.subarray(0, 3), text.subarray(3)], 'zwölf'],
  ['a text that ends within a character', 200, [text.subarray(0, 3)], 'zw\ufffd'],
  ['an error', 503, [text], 'zwölf'],
  ['an empty text', 200, [], ''],
  ['an answer that can have no body', 204, [], ''],
])('%s is given with its status and headers', async (_what, status, pieces, expected) => {
  expect(await fetched(100, status, ...pieces)).toEqual({ status, kept: 'yes', text: expected });
});

test('as many bytes as are allowed are taken, and one more is refused', async () => {
  expect(await fetched(6, 200, text)).toMatchObject({ text: 'zwölf' });
  await expect(fetched(5, 200, text)).rejects.toThrow(new RangeError('The answer has more than 5 bytes'));
});
