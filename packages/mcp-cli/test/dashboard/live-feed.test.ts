import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { LiveFeed, type LiveFeedOptions } from '../../src/dashboard/live-feed.js';
import type { LiveMessage, Snapshot } from '../../src/dashboard/page-messages.js';
import type { LiveEvent, Recorder } from '../../src/dashboard/recorder.js';
import { until } from '../helpers/until.js';

/** A feed behind real HTTP, whose messages the test makes up. */
async function served(options: LiveFeedOptions = {}) {
  let snapshots = 0;
  let tell: (happening: LiveEvent) => void = () => undefined;
  const recorder: Recorder = {
    snapshot: async (): Promise<Snapshot> => {
      snapshots += 1;
      return { at: 0, servers: [], samples: {}, calls: [], approvals: [] };
    },
    sample: async () => undefined,
    onEvent: (listener) => {
      tell = listener;
      return { [Symbol.dispose]: () => undefined };
    },
    [Symbol.dispose]: () => undefined,
  };
  const feed = new LiveFeed(recorder, options);
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
    tell: (happening: LiveEvent) => tell(happening),
    snapshots: () => snapshots,
    [Symbol.asyncDispose]: async () => {
      feed[Symbol.dispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const call = (id: number, tool = 'echo'): LiveEvent => ({ type: 'call', call: { id, at: 0, tool, outcome: 'ok' } });

/** All that one reader is sent, as it comes. */
async function messagesTo(response: IncomingMessage): Promise<() => readonly LiveMessage[]> {
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => Array.from(text.matchAll(/^data: (.+)\n\n/gm), ([, json = '']) => JSON.parse(json) as LiveMessage);
}

const callsIn = (messages: readonly LiveMessage[]) =>
  messages.flatMap((message) => (message.type === 'changes' ? message.changes.calls : []));

test('a reader receives a snapshot first, then changes in order', async () => {
  await using stage = await served();
  const messages = await messagesTo(await stage.connect());
  await until(() => messages().length > 0);
  stage.tell(call(1));
  stage.tell(call(2));
  await until(() => callsIn(messages()).length === 2);
  expect(messages()[0]?.type).toBe('snapshot');
  expect(callsIn(messages()).map(({ id }) => id)).toEqual([1, 2]);
});

test('a reader receives a burst as one message with the latest state', async () => {
  await using stage = await served();
  const messages = await messagesTo(await stage.connect());
  await until(() => messages().length > 0);
  for (let id = 1; id <= 10_000; id += 1) stage.tell(call(id));
  await until(() => callsIn(messages()).some(({ id }) => id === 10_000));
  expect(messages().length).toBeLessThan(5);
  expect(callsIn(messages()).length).toBeLessThanOrEqual(200);
});

test('a reader receives periodic empty messages with the daemon’s time', async () => {
  await using stage = await served({ now: () => 4_711, sampleMs: 20 });
  const messages = await messagesTo(await stage.connect());
  await until(() => messages().length > 3);
  expect(messages().at(-1)).toEqual({
    type: 'changes',
    changes: { at: 4_711, removed: [], servers: [], samples: {}, calls: [] },
  });
});

test('messages for a stalled reader are bounded, and a snapshot replaces them', async () => {
  await using stage = await served({ collectMs: 0 });
  const response = await stage.connect();
  await until(() => stage.snapshots() === 1);
  response.pause();
  const sent = 40;
  const large = 'x'.repeat(100_000);
  for (let round = 0; round < sent; round += 1) {
    for (let id = 1; id <= 10; id += 1) stage.tell(call(id, large));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  response.resume();
  await until(() => stage.snapshots() === 2);
  await until(() => text.split('"snapshot"').length > 4);
  expect(text.length).toBeLessThan((sent * 10 * large.length) / 2);
  stage.tell(call(11, 'still told'));
  await until(() => text.includes('still told'));
});

test('disconnected readers leave nothing behind, and more than 16 readers are refused', async () => {
  await using stage = await served();
  const readers = await Promise.all(Array.from({ length: 16 }, () => stage.connect()));
  expect(stage.feed.readers).toBe(16);
  expect((await stage.connect()).statusCode).toBe(503);
  expect(stage.refused).toMatchObject([{ status: 503, code: 'too-many-readers' }]);
  for (const reader of readers) reader.destroy();
  await until(() => stage.feed.readers === 0);
});
