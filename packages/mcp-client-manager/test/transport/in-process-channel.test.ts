import type { JsonRpcMessage } from '@x/internal/contracts';
import { expect, test } from 'vitest';
import type { InProcessServer } from '../../src/spec.js';
import { InProcessChannel } from '../../src/transport/in-process-channel.js';
import { warningsDuring } from '../helpers/servers.js';

interface ServerEnd {
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
}

/** A server that is only the end of its link, so that the test can send anything. */
async function linked(): Promise<{ channel: InProcessChannel; server: ServerEnd }> {
  const channel = new InProcessChannel({ maxMessageBytes: 1_000 });
  let end: ServerEnd | undefined;
  const connect = async (transport: unknown): Promise<void> => {
    end = transport as ServerEnd;
  };
  await channel.connect({ connect, close: async () => undefined } as InProcessServer);
  return { channel, server: end as ServerEnd };
}

test('reports invalid messages of a server object as junk and invalid responses as errors', async () => {
  const { channel, server } = await linked();
  const messages: JsonRpcMessage[] = [];
  const junk: string[] = [];
  channel.listen({
    onMessage: (message) => void messages.push(message),
    onJunk: (text) => void junk.push(text),
    onClosed: () => undefined,
  });
  for (const message of [undefined, null, 7, [], {}, { jsonrpc: '2.0', id: 1 }, { jsonrpc: '2.0', id: 2, error: 3 }]) {
    await server.send(message);
  }
  await Promise.resolve();
  expect(junk).toEqual(['undefined', 'null', '7', '[]', '{}']);
  expect(messages).toMatchObject([
    { id: 1, error: { code: -32_091 } },
    { id: 2, error: { code: -32_091 } },
  ]);
});

test('a listener that throws takes down neither the host nor the next message', async () => {
  const { channel, server } = await linked();
  const seen: unknown[] = [];
  channel.listen({
    onMessage: ({ method }) => {
      seen.push(method);
      throw new Error('cannot listen');
    },
    onJunk: () => undefined,
    onClosed: () => undefined,
  });
  const warnings = await warningsDuring(async () => {
    await server.send({ jsonrpc: '2.0', method: 'a' });
    await server.send({ jsonrpc: '2.0', method: 'b' });
  });
  expect(seen).toEqual(['a', 'b']);
  expect(warnings).toEqual([expect.stringContaining('cannot listen'), expect.stringContaining('cannot listen')]);
});
