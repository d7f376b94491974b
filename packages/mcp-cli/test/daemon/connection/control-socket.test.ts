import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ManagerError } from '@x/mcp-client-manager';
import { FleetError } from '@x/mcp-fleet';
import { textOf } from '@x/test-servers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { DaemonHandlers, HandleServerRequest } from '../../../src/control/control.js';
import { toControlError } from '../../../src/control/to-control-error.js';
import { openConnection } from '../../../src/daemon/connection/open-connection.js';
import { maxRequestBytes, newToken, proofOf, protocolNumber } from '../../../src/daemon/connection/protocol.js';
import { createRemoteControl } from '../../../src/daemon/connection/remote-control.js';
import { monotonicMs } from '../../../src/daemon/system-process.js';
import { deferred } from '../../helpers/deferred.js';
import { fakeControl } from '../../helpers/fake-control.js';
import { servedControl } from '../../helpers/served-control.js';

afterEach(() => {
  vi.useRealTimers();
});

const never = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));

describe('a foreign process', () => {
  test('without the token gets no response, and its request is not run', async () => {
    let asked = 0;
    await using served = await servedControl(
      fakeControl({
        status: async () => {
          asked += 1;
          return { servers: [] };
        },
      }),
    );
    const stranger = connect(served.socket);
    stranger.write(`${JSON.stringify({ mcpx: protocolNumber, nonce: '0'.repeat(32) })}\n`);
    const [hello] = (await once(createInterface({ input: stranger }), 'line')) as [string];
    expect(hello).not.toContain(served.token);
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'status', params: {} });
    stranger.write(`${JSON.stringify({ proof: '0'.repeat(64) })}\n${request}\n`);
    await once(stranger, 'close');
    expect(asked).toBe(0);
    expect(served.server.connections).toBe(1); // that of the test
  });

  test.each([
    ['a request before any greeting', `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'status' })}\n`],
    ['what is no JSON', 'GET / HTTP/1.1\r\n\r\n'],
    ['JSON that is no object', 'null\n'],
    ['a greeting without end', 'x'.repeat(10_000)],
  ])('is disconnected after %s', async (_what, text) => {
    await using served = await servedControl(fakeControl({}));
    const stranger = connect(served.socket);
    stranger.on('error', () => undefined);
    stranger.write(text);
    stranger.resume();
    await once(stranger, 'close');
  });

  test('cannot reflect the proof of the daemon', async () => {
    await using served = await servedControl(fakeControl({}));
    const stranger = connect(served.socket);
    const nonce = 'a'.repeat(32);
    stranger.write(`${JSON.stringify({ mcpx: protocolNumber, nonce })}\n`);
    const [hello] = (await once(createInterface({ input: stranger }), 'line')) as [string];
    stranger.write(`${JSON.stringify({ proof: JSON.parse(hello).proof })}\n`);
    await once(stranger, 'close');
  });

  test('is not accepted as the daemon, and learns nothing of the token', async () => {
    const token = newToken();
    let heard = '';
    await using place = await impostor((socket) => {
      socket.on('data', (chunk) => {
        heard += chunk;
      });
      socket.write(
        `${JSON.stringify({ mcpx: protocolNumber, version: 'x', nonce: '1'.repeat(32), proof: '2'.repeat(64) })}\n`,
      );
    });
    await expect(openConnection({ socket: place.path, token })).rejects.toMatchObject({ code: 'daemon-untrusted' });
    expect(heard).not.toContain(token);
    expect(heard).not.toContain('proof');
  });

  test('that sends nothing is given up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime'] });
    let arrived: () => void = () => undefined;
    const connected = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await using place = await impostor(() => arrived());
    // The third attempt of a command, say: the text names how long the daemon has been silent in all.
    const sinceMs = monotonicMs() - 10_000;
    const opened = openConnection({ socket: place.path, token: newToken(), sinceMs });
    const message = 'The daemon does not respond: it did not complete the handshake within 15 s.';
    const refused = expect(opened).rejects.toMatchObject({ code: 'daemon-unreachable', retryable: true, message });
    await connected;
    await vi.advanceTimersByTimeAsync(5_000);
    await refused;
  });

  test('of an older or newer version is refused with a remedy', async () => {
    const token = newToken();
    for (const [number, hint] of [
      [0, /replace the daemon/],
      [protocolNumber + 1, /Update this mcpx/],
    ] as const) {
      await using place = await impostor((socket) => {
        socket.write(`${JSON.stringify({ mcpx: number, version: '9.9.9' })}\n`);
      });
      const opened = openConnection({ socket: place.path, token });
      await expect(opened).rejects.toMatchObject({ code: 'version-skew', hint: expect.stringMatching(hint) });
    }
  });
});

describe('the socket', () => {
  test('is private to its user', async () => {
    await using served = await servedControl(fakeControl({}));
    if (process.platform !== 'win32') expect((await stat(served.socket)).mode & 0o077).toBe(0);
  });

  test('without a listener fails at once as retryable', async () => {
    const opened = openConnection({ socket: join(tmpdir(), 'mcpx-nobody.sock'), token: newToken() });
    await expect(opened).rejects.toMatchObject({ code: 'daemon-unreachable', retryable: true });
  });

  test('an interrupted command cancels its request', async () => {
    let ended: unknown;
    const asked = deferred();
    const told = deferred();
    await using served = await servedControl(
      fakeControl({
        call: async ({ signal }) => {
          asked.resolve();
          return never(signal).catch((error) => {
            ended = error;
            told.resolve();
            throw error;
          });
        },
      }),
    );
    const stop = new AbortController();
    const reason = new Error('enough');
    const call = served.remote.call({ tool: 'tool', args: {}, signal: stop.signal });
    await asked.promise;
    stop.abort(reason);
    await expect(call).rejects.toBe(reason);
    await told.promise;
    expect(ended).toBeInstanceOf(Error);
  });

  test('a disconnected command cancels its request', async () => {
    const asked = deferred();
    const told = deferred();
    await using served = await servedControl(
      fakeControl({
        status: async ({ signal } = {}) => {
          asked.resolve();
          return never(signal).finally(() => told.resolve());
        },
      }),
    );
    const status = served.remote.status();
    await asked.promise;
    await served.remote[Symbol.asyncDispose]();
    await expect(status).rejects.toMatchObject({ code: 'daemon-lost' });
    await told.promise;
  });

  test('progress arrives before the response, in order', async () => {
    await using served = await servedControl(
      fakeControl({
        call: async ({ onProgress }) => {
          for (const progress of [1, 2, 3]) onProgress?.({ progress });
          return { content: [] };
        },
      }),
    );
    const seen: number[] = [];
    await served.remote.call({ tool: 'tool', args: {}, onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3]);
  });

  test('concurrent requests receive their own responses', async () => {
    await using served = await servedControl(
      fakeControl({ readResource: async ({ uri }) => ({ contents: [{ uri }] }) }),
    );
    const uris = Array.from({ length: 100 }, (_, index) => `a:${index}`);
    const read = await Promise.all(uris.map((uri) => served.remote.readResource({ server: 's', uri })));
    expect(read.map(({ contents }) => contents[0]?.uri)).toEqual(uris);
  });

  test('a request that is too large is refused before it is sent', async () => {
    await using served = await servedControl(fakeControl({}));
    const call = served.remote.call({ tool: 'tool', args: { text: 'x'.repeat(41 * 1_024 * 1_024) } });
    await expect(call).rejects.toMatchObject({
      code: 'message-too-large',
      hint: expect.stringContaining('less data'),
    });
  });

  test('a response that is too large fails only its request', async () => {
    await using served = await servedControl(
      fakeControl({
        call: async () => ({ content: [{ type: 'text', text: 'x'.repeat(81 * 1_024 * 1_024) }] }),
        status: async () => ({ servers: [] }),
      }),
    );
    await expect(served.remote.call({ tool: 'tool', args: {} })).rejects.toMatchObject({
      code: 'message-too-large',
      hint: expect.stringContaining('less data'),
    });
    expect(await served.remote.status()).toEqual({ servers: [] });
  });

  test('a slow reader slows the daemon and receives everything in order', async () => {
    let made = 0;
    const line = 'x'.repeat(100_000);
    await using served = await servedControl(
      fakeControl({
        async *logs() {
          for (; made < 2_000; made += 1) yield { line: `${made} ${line}` };
        },
      }),
    );
    let expected = 0;
    for await (const { line: text } of served.remote.logs({ server: 's' })) {
      expect(Number(text.split(' ')[0])).toBe(expected);
      expected += 1;
      if (expected === 1) {
        for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        expect(made).toBeLessThan(1_500);
      }
      if (expected === 700) break;
    }
  });

  test('sends server requests to the sender of a request, as often as necessary', async () => {
    await using served = await servedControl({
      ...fakeControl({}),
      callSource: async ({ tool, ...options }) => {
        const { ask, signal } = servedCall(options);
        const answers = await Promise.all(['one', 'two'].map((text) => ask({ tool, text }, { signal })));
        return { content: [{ type: 'text', text: JSON.stringify(answers) }] };
      },
    });
    const onServerRequest = async (question: unknown) => ({ asked: question });
    const tools = ['read', 'write'];
    const results = await Promise.all(
      tools.map((tool) => served.remote.callSource({ source: 'files@b', tool, args: {}, onServerRequest })),
    );
    const answersTo = (tool: string) => ['one', 'two'].map((text) => ({ asked: { tool, text } }));
    expect(results.map((result) => JSON.parse(textOf(result)))).toEqual(tools.map(answersTo));
  });

  test.each([
    [
      'a code',
      { message: 'no', code: -32_601, data: { a: 1 } },
      Object.assign(new Error('no'), { code: -32_601, data: { a: 1 } }),
    ],
    ['what is no error', { message: 'There was no response' }, 'no'],
  ])('gets no response to %s', async (_what, refusal, thrown) => {
    expect(await answerOf(() => Promise.reject(thrown))).toMatchObject(refusal);
  });

  test('gets an error without a client handler, and for a response that is too large', async () => {
    expect(await answerOf(undefined)).toMatchObject({ message: 'There is no client to handle this request' });
    const long = answerOf(async () => 'x'.repeat(maxRequestBytes));
    expect(await long).toMatchObject({ message: expect.stringContaining('is larger than') });
  });

  test('withdraws a server request, and does not wait for a response when the client is gone', async () => {
    const asked = deferred();
    const withdrawn = deferred();
    const failures: unknown[] = [];
    const failed = deferred();
    const goneBy = new AbortController();
    await using served = await servedControl({
      ...fakeControl({}),
      callSource: async (options) => {
        const { ask, signal } = servedCall(options);
        const given = new AbortController();
        const first = ask('first', { signal: given.signal });
        await asked.promise;
        given.abort(new Error('taken back'));
        await expect(first).rejects.toThrow('taken back');
        await withdrawn.promise;
        ask('second', { signal: new AbortController().signal }).catch((error: unknown) => {
          failures.push(error);
          failed.resolve();
        });
        return never(signal);
      },
    });
    const onServerRequest = (question: unknown, { signal }: { readonly signal: AbortSignal }) => {
      if (question === 'second') goneBy.abort(new Error('gone'));
      signal.addEventListener('abort', () => withdrawn.resolve());
      asked.resolve();
      return never(signal);
    };
    const options = { onServerRequest, signal: goneBy.signal };
    const called = served.remote.callSource({ source: 'files@b', tool: 'read', args: {}, ...options });
    await expect(called).rejects.toThrow('gone');
    await failed.promise;
    expect(failures).toEqual([new Error('the command was interrupted')]);
  });

  test('forwards the error of a server unchanged', async () => {
    const rpc = {
      code: -32_042,
      message: 'A page has to be visited',
      data: { elicitations: [{ url: 'https://a.test' }] },
    };
    const failures = [
      new ManagerError('server-error', 'The server refused', { server: 'files', rpc }),
      new FleetError('source-error', 'The server refused', { node: 'b', server: 'files', rpc }),
    ];
    await using served = await servedControl({
      ...fakeControl({}),
      callSource: () => Promise.reject(toControlError(failures.shift(), { redact: (text) => text })),
    });
    for (const code of ['server-error', 'source-error']) {
      const called = served.remote.callSource({ source: 'files@b', tool: 'read', args: {} });
      await expect(called).rejects.toMatchObject({ code, rpc });
    }
  });

  test.each(['no-such-thing', '__proto__', 'toString', 'constructor'])(
    'a request named %s is refused',
    async (method) => {
      await using served = await servedControl(fakeControl({}));
      const rpc = await served.connect();
      await expect(rpc.request(method, {})).rejects.toMatchObject({
        code: 'invalid-request',
        message: expect.stringContaining(`"${method}"`),
        hint: expect.stringContaining('status'),
      });
      rpc.close();
    },
  );

  test('an invalid parameter is refused with its name, and the request is not run', async () => {
    let asked = 0;
    await using served = await servedControl(
      fakeControl({
        async *logs() {
          asked += 1;
          yield { line: 'never' };
        },
        stop: async () => {
          asked += 1;
          return [];
        },
      }),
    );
    const rpc = await served.connect();
    for (const [method, params, message] of [
      ['stop', { servers: 'git' }, 'The parameter "servers" of the request "stop" must be a list'],
      ['logs', { server: 'git', lines: '7' }, 'The parameter "lines" of the request "logs" must be a number.'],
      ['describe', {}, 'The parameter "tool" of the request "describe" must be a string. It is missing.'],
    ] as const) {
      await expect(rpc.request(method, params)).rejects.toMatchObject({
        code: 'invalid-request',
        message: expect.stringContaining(message),
      });
    }
    expect(asked).toBe(0);
    rpc.close();
  });
});

/** What every call has that comes over the socket. */
function servedCall({
  onServerRequest,
  signal,
}: Pick<Parameters<DaemonHandlers['callSource']>[0], 'onServerRequest' | 'signal'>) {
  if (!onServerRequest || !signal) throw new Error('the call has no signal, or nobody to ask');
  return { ask: onServerRequest, signal };
}

/** What a request hears that asks something, of a command that answers so. */
async function answerOf(onServerRequest: HandleServerRequest | undefined): Promise<unknown> {
  let answer: unknown;
  await using served = await servedControl({
    ...fakeControl({}),
    callSource: async (options) => {
      const { ask, signal } = servedCall(options);
      answer = await ask({}, { signal }).catch((error: unknown) => error);
      return { content: [] };
    },
  });
  await served.remote.callSource({ source: 'files@b', tool: 'read', args: {}, onServerRequest });
  return answer;
}

describe('a daemon that goes away', () => {
  test('fails requests with a retryable code, except calls', async () => {
    await using place = await ownedBy(({ socket }) => socket.destroy());
    const open = () => openConnection({ socket: place.path, token: place.token });
    const remote = createRemoteControl(await open(), open);
    const status = remote.status();
    const call = remote.call({ tool: 'tool', args: {} });
    await expect(status).rejects.toMatchObject({ code: 'daemon-lost', retryable: true });
    await expect(call).rejects.toMatchObject({ code: 'outcome-unknown', retryable: false });
    await expect(remote.status()).rejects.toMatchObject({ code: 'daemon-lost', retryable: true });
  });

  test('fails a stream with the same code', async () => {
    await using place = await ownedBy(({ socket, id }) => {
      socket.write(
        `${JSON.stringify({ jsonrpc: '2.0', method: '$/item', params: { id, item: { line: 'one' } } })}\n`,
        () => socket.destroy(),
      );
    });
    const open = () => openConnection({ socket: place.path, token: place.token });
    await using remote = createRemoteControl(await open(), open);
    const lines: string[] = [];
    const read = async () => {
      for await (const { line } of remote.logs({ server: 's', follow: true })) lines.push(line);
    };
    await expect(read()).rejects.toMatchObject({ code: 'daemon-lost', retryable: true });
    expect(lines).toEqual(['one']);
  });

  test('that hangs during a call leaves its outcome unknown', async () => {
    const asked = deferred();
    await using place = await ownedBy(() => asked.resolve());
    const open = () => openConnection({ socket: place.path, token: place.token });
    await using remote = createRemoteControl(await open(), open);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'hrtime'] });
    const lost = expect(remote.call({ tool: 'tool', args: {} })).rejects.toMatchObject({
      code: 'outcome-unknown',
      retryable: false,
    });
    await asked.promise;
    await vi.advanceTimersByTimeAsync(30_000);
    await lost;
  });

  test('that hangs with an open socket is given up', async () => {
    const asked = deferred();
    await using place = await ownedBy(() => asked.resolve());
    const rpc = await openConnection({ socket: place.path, token: place.token });
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'hrtime'] });
    const lost = expect(rpc.request('status', {})).rejects.toMatchObject({
      code: 'daemon-unreachable',
      retryable: true,
    });
    await asked.promise;
    await vi.advanceTimersByTimeAsync(30_000);
    await lost;
  });

  test('that is busy is waited for', async () => {
    const done = deferred();
    await using served = await servedControl(
      fakeControl({
        status: async () => {
          await done.promise;
          return { servers: [] };
        },
      }),
    );
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'hrtime'] });
    const status = served.remote.status();
    for (let beat = 0; beat < 20; beat += 1) {
      await vi.advanceTimersByTimeAsync(4_000);
      // What was asked has to go there and back: a request of its own does the same just after it.
      await served.remote.daemonInfo();
    }
    done.resolve();
    expect(await status).toEqual({ servers: [] });
  });
});

/** Something that listens where a daemon is expected. */
async function impostor(onConnection: (socket: Socket) => void): Promise<{ readonly path: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'mcpx-impostor-'));
  const path = join(folder, 'control.sock');
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A daemon that proves itself, and then does with each request what the test says. */
async function ownedBy(
  onRequest: (request: { readonly socket: Socket; readonly id: number }) => void,
): Promise<{ readonly path: string; readonly token: string } & AsyncDisposable> {
  const token = newToken();
  const server = 'b'.repeat(32);
  const place = await impostor((socket) => {
    createInterface({ input: socket }).on('line', (line) => {
      const { nonce: client, id } = JSON.parse(line);
      if (client !== undefined) {
        const proof = proofOf(token, 'server', { client, server });
        socket.write(`${JSON.stringify({ mcpx: protocolNumber, version: 'x', nonce: server, proof })}\n`);
      } else if (id !== undefined) onRequest({ socket, id });
    });
  });
  return { ...place, token };
}
