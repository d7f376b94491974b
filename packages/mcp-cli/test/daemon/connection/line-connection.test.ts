import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { LineConnection } from '../../../src/daemon/connection/line-connection.js';
import { RpcClient } from '../../../src/daemon/connection/rpc-client.js';

/** Two ends of a connection on loopback. */
async function socketPair(): Promise<{ near: Socket; far: Socket } & AsyncDisposable> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const near = connect({ port: (server.address() as { port: number }).port, host: '127.0.0.1' });
  const [far] = (await once(server, 'connection')) as [Socket];
  return {
    near,
    far,
    [Symbol.asyncDispose]: async () => {
      near.destroy();
      far.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const behind = 'no JSON\n{"id":2}\nand no end';

test('bytes behind the line that detaches belong to the stream, also of the same chunk', async () => {
  await using pair = await socketPair();
  const messages: unknown[] = [];
  const detached = new Promise<Socket>((resolve) => {
    const connection = new LineConnection(pair.near, {
      maxLineBytes: 20,
      onMessage: (message) => {
        messages.push(message);
        resolve(connection.detach());
      },
      onClose: () => undefined,
    });
  });
  pair.far.end(`{"id":1}\n${behind}`);
  expect(await text(await detached)).toBe(behind);
  expect(messages).toEqual([{ id: 1 }]);
});

test('a client that requests a socket gets the bytes behind the response', async () => {
  await using pair = await socketPair();
  const connection = new LineConnection(pair.near, {
    maxLineBytes: 1_000,
    onMessage: () => undefined,
    onClose: () => undefined,
  });
  const socket = new RpcClient(connection).requestSocket('$/stream', {}, {});
  await once(pair.far, 'data');
  pair.far.end(`{"jsonrpc":"2.0","id":1,"result":null}\n${behind}`);
  expect(await text(await socket)).toBe(behind);
});
