import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { streamLines } from '../../src/dashboard/event-stream.js';
import type { LogLineView } from '../../src/dashboard/page-messages.js';
import { until } from '../helpers/until.js';

/** Streams these lines over real HTTP to one reader. */
async function streamed(lines: AsyncIterable<LogLineView>) {
  let isOver = false;
  const server = createServer((_request, response) => {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    void streamLines(response, lines, gone.signal).then(() => {
      isOver = true;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [response] = (await once(get({ port, host: '127.0.0.1', agent: false }), 'response')) as [IncomingMessage];
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return {
    response,
    isOver: () => isOver,
    events: () =>
      Array.from(text.matchAll(/^data: (.+)\n\n/gm), ([, json = '']) => JSON.parse(json).lines as LogLineView[]),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('lines of the same moment are sent together, and none is lost', async () => {
  async function* lines() {
    for (let count = 1; count <= 5; count += 1) yield { line: `${count}` };
  }
  await using stage = await streamed(lines());
  await until(() => stage.isOver());
  await until(() => stage.events().length > 0);
  expect(stage.events()).toEqual([[{ line: '1' }, { line: '2' }, { line: '3' }, { line: '4' }, { line: '5' }]]);
});

test('reads only as many lines of a flood as a page shows', async () => {
  let taken = 0;
  async function* flood() {
    for (;;) {
      taken += 1;
      yield { line: `line ${taken}` };
    }
  }
  await using stage = await streamed(flood());
  await until(() => stage.events().length >= 2);
  for (const lines of stage.events()) expect(lines.length).toBeLessThanOrEqual(300);
  expect(taken).toBeLessThanOrEqual((stage.events().length + 2) * 300);
});

test('stops reading for a stalled reader', async () => {
  let taken = 0;
  const line = 'x'.repeat(4_096);
  async function* flood() {
    for (;;) {
      taken += 1;
      yield { line };
    }
  }
  await using stage = await streamed(flood());
  stage.response.pause();
  let before = -1;
  await until(async () => {
    if (taken === before) return true;
    before = taken;
    await new Promise((resolve) => setTimeout(resolve, 700));
    return false;
  });
  expect(taken * line.length).toBeLessThan(16 * 1_024 * 1_024);
});

test('ends when the reader disconnects', async () => {
  async function* lines() {
    for (let count = 1; ; count += 1) yield { line: `${count}` };
  }
  await using stage = await streamed(lines());
  await until(() => stage.events().length > 0);
  stage.response.destroy();
  await until(() => stage.isOver());
});
