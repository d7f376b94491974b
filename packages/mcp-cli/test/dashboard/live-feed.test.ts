import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { LiveFeed } from '../../src/dashboard/live-feed.js';
import type { LiveMessage, Snapshot } from '../../src/dashboard/page-messages.js';
import type { Recorder } from '../../src/dashboard/recorder.js';
import { until } from '../helpers/until.js';

/** A feed behind real HTTP, whose messages the test makes up. */
async function served() {
  let snapshots = 0;
  let tell: (message: LiveMessage) => void = () => undefined;
  const recorder: Recorder = {
    snapshot: async (): Promise<Snapshot> => {
      snapshots += 1;
      return { servers: [], samples: {}, calls: [] };
    },
    sample: async () => undefined,
    onMessage: (listener) => {
      tell = listener;
      return { [Symbol.dispose]: () => undefined };
    },
    [Symbol.dispose]: () => undefined,
  };
  const feed = new LiveFeed(recorder);
  const refused: unknown[] = [];
  const server = createServer((request, response) => {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    request.resume();
    feed.serve(response, gone.signal).catch((error: unknown) => {
      refused.push(error);
      response.writeHead(503).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connect = async (): Promise<IncomingMessage> => {
    const [response] = await once(get({ port, host: '127.0.0.1', agent: false }), 'response');
    return response as IncomingMessage;
  };
  return {
    feed,
    refused,
    connect,
    tell: (message: LiveMessage) => tell(message),
    snapshots: () => snapshots,
    [Symbol.asyncDispose]: async () => {
      feed[Symbol.dispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const call = (id: number, tool = 'echo'): LiveMessage => ({ type: 'call', call: { id, at: 0, tool, outcome: 'ok' } });

test('a reader is told everything as it is first, and then what is new, in order', async () => {
  await using stage = await served();
  const response = (await stage.connect()).setEncoding('utf8');
  let text = '';
  response.on('data', (chunk: string) => {
    text += chunk;
  });
  await until(() => text.includes('snapshot'));
  stage.tell(call(1));
  stage.tell(call(2));
  await until(() => text.includes('"id":2'));
  const types = Array.from(text.matchAll(/^data: (.+)$/gm), ([, json = '']) => JSON.parse(json).type);
  expect(types).toEqual(['snapshot', 'call', 'call']);
});

test('GW-08: what waits for a reader who does not read is bounded, and the reader catches up by a snapshot', async () => {
  await using stage = await served();
  const response = await stage.connect();
  await until(() => stage.snapshots() === 1);
  response.pause();
  const sent = 20_000;
  for (let id = 1; id <= sent; id += 1) stage.tell(call(id, 'x'.repeat(1_000)));
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  response.resume();
  await until(() => stage.snapshots() === 2);
  await until(() => text.split('"snapshot"').length > 4);
  expect(text.length).toBeLessThan((sent * 1_000) / 5);
  stage.tell(call(sent + 1, 'still told'));
  await until(() => text.includes('still told'));
});

test('readers that have gone leave nothing behind, and more than 16 are refused', async () => {
  await using stage = await served();
  const readers = await Promise.all(Array.from({ length: 16 }, () => stage.connect()));
  expect(stage.feed.readers).toBe(16);
  expect((await stage.connect()).statusCode).toBe(503);
  expect(stage.refused).toMatchObject([{ status: 503, code: 'too-many-readers' }]);
  for (const reader of readers) reader.destroy();
  await until(() => stage.feed.readers === 0);
});
