import type { RequestListener } from 'node:http';
import { createGzip } from 'node:zlib';
import { type LoopbackServer, serveOnLoopback } from '@x/test-servers';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { boundedEvents } from '../../../src/session/http/bounded-events.js';
import { boundedFetch } from '../../../src/session/http/bounded-fetch.js';
import { failureOf } from '../../helpers/failure-of.js';

const maxBytes = 2_000;
const call = { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call' }) };
const tooLarge = {
  jsonrpc: '2.0',
  id: 7,
  error: { code: -32_090, message: `The result has more than ${maxBytes} bytes, which is the limit.` },
};

let server: LoopbackServer;
afterEach(() => server?.close());

async function fetched(listener: RequestListener, init: object = call): Promise<Response> {
  server = await serveOnLoopback((request, response) => {
    request.resume();
    listener(request, response);
  });
  return boundedFetch(fetch, { maxBytes })(server.origin, init);
}

const jsonHead = { 'content-type': 'application/json' };
const answerOf = (bytes: number): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, result: { text: '' } }).replace('""', `"${'x'.repeat(bytes - 45)}"`);

test('passes a response at the limit, and replaces one with a byte more', async () => {
  const fits = answerOf(maxBytes);
  expect(fits).toHaveLength(maxBytes);
  expect(await (await fetched((_, response) => response.writeHead(200, jsonHead).end(fits))).text()).toBe(fits);
  await server.close();
  const over = await fetched((_, response) => response.writeHead(200, jsonHead).end(`${fits} `));
  expect(await over.json()).toEqual(tooLarge);
});

test('reads a response without a length, or without an end, up to the limit', async () => {
  const endless = await fetched((_, response) => {
    response.writeHead(200, jsonHead);
    response.on('drain', () => response.write('x'.repeat(65_536)));
    response.write('x'.repeat(65_536));
  });
  expect(await endless.json()).toEqual(tooLarge);
});

test('counts the decompressed size', async () => {
  const packed = await fetched((_, response) => {
    response.writeHead(200, { ...jsonHead, 'content-encoding': 'gzip' });
    const gzip = createGzip();
    gzip.pipe(response);
    gzip.end(answerOf(1_000_000));
  });
  expect(await packed.json()).toEqual(tooLarge);
});

test('fails a body over the limit that is not a response', async () => {
  const response = fetched((_, to) => to.writeHead(200, jsonHead).end('x'.repeat(3_000)), {});
  expect(await failureOf(response)).toMatchObject({ message: 'The response has more than 2000 bytes' });
});

test('reads only the beginning of an error body', async () => {
  const response = await fetched((_, to) => to.writeHead(500, jsonHead).end('x'.repeat(1_000_000)));
  expect(response.status).toBe(500);
  expect(await response.text()).toHaveLength(64 * 1_024);
});

async function eventsOf(
  chunks: readonly Uint8Array[],
  { requestId }: { requestId: number | undefined } = { requestId: 7 },
): Promise<string> {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const texts: string[] = [];
  for await (const bytes of stream.pipeThrough(boundedEvents({ maxBytes: 200, requestId }))) {
    texts.push(Buffer.from(bytes).toString());
  }
  return texts.join('');
}

const small = 'id: 1\nevent: message\ndata: {"jsonrpc":"2.0","method":"x"}\n\n';
const large = 'x'.repeat(5_000);

test('replaces an oversized event under its own id, and no other', async () => {
  const text = `${small}id: 2\ndata: {"jsonrpc":"2.0","id":9,"result":{"a":"${large}"}}\n\n${small}`;
  const [before, replaced, after] = (await eventsOf([Buffer.from(text)])).split(/(?<=\n\n)/);
  expect(before).toBe(small);
  expect(replaced).toMatch(/^id: 2\ndata: \{"jsonrpc":"2\.0","id":9,"error":\{"code":-32090,.*\n\n$/);
  expect(after).toBe(small);
});

test('finds a response whose id comes last, and drops oversized requests and notifications', async () => {
  const last = `data: {"result":{"a":"${large}"},"jsonrpc":"2.0","id":9}\r\n\r\n`;
  expect(await eventsOf([Buffer.from(last)])).toContain('"id":9,"error"');
  const request = `data: {"jsonrpc":"2.0","id":9,"method":"x","params":{"a":"${large}"}}\n\n`;
  expect(await eventsOf([Buffer.from(request)])).toBe('data: \n\n');
});

test('attributes an unrecognizable response to the request of the stream', async () => {
  const odd = `data: {"id":7,\ndata: "result":{"a":"${large}"}}\n\n`;
  expect(await eventsOf([Buffer.from(odd)])).toContain('"id":7,"error"');
  expect(await eventsOf([Buffer.from(odd)], { requestId: undefined })).toBe('data: \n\n');
});

test('yields the same events for any chunking', async () => {
  const endings = fc.constantFrom('\n', '\r\n');
  const event = fc.record({ size: fc.integer({ min: 0, max: 400 }), id: fc.boolean(), ending: endings });
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 6 }),
      fc.array(fc.nat(3_000), { maxLength: 30 }),
      async (list, cuts) => {
        const bytes = Buffer.from(
          list
            .map(({ size, id, ending }, index) =>
              [
                ...(id ? [`id: ${index}`] : []),
                `data: {"jsonrpc":"2.0","id":${index},"result":"${'é'.repeat(size)}"}`,
                '',
                '',
              ].join(ending),
            )
            .join(''),
        );
        const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
        expect(await eventsOf(chunks)).toBe(await eventsOf([bytes]));
      },
    ),
  );
});

test('drops messages of a batch that are too deep, and turns responses into errors', async () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const batch = `[{"jsonrpc":"2.0","method":"notifications/message","params":{"data":${deep}}},{"jsonrpc":"2.0","id":7,"result":${deep}},{"jsonrpc":"2.0","id":8,"result":{}}]`;
  const stream = new Response(`id: 1\ndata: ${batch}\n\n`).body as ReadableStream<Uint8Array>;
  const events = stream.pipeThrough(boundedEvents({ maxBytes: 1_000_000, requestId: 7, readsBatches: () => true }));
  const written = (await new Response(events as ReadableStream<Uint8Array<ArrayBuffer>>).text()).split('\n\n');
  expect(written[0]).toBe('data: ');
  expect(written[1]).toContain('"id":7,"error":{"code":-32090');
  expect(written.slice(2)).toEqual(['id: 1\ndata: {"jsonrpc":"2.0","id":8,"result":{}}', '']);
});
