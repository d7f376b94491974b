import { connect, type Socket } from 'node:net';
import { createRegistry } from '@x/mcp-registry';
import { describe, expect, test } from 'vitest';
import { createRegistryHandler, type RegistryHandlerOptions, toNodeListener } from '../../../src/index.js';
import { serveOnLoopback } from '../../helpers/serve-on-loopback.js';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

/** A server whose tool reports progress endlessly, until it is stopped. */
async function serveFlood(options: Partial<RegistryHandlerOptions>) {
  const registry = createRegistry();
  const errors: Error[] = [];
  let told = 0;
  const stopped = new Promise<void>((resolve) => {
    registry.register({ name: 'flood', description: '' }, async (_, { signal, reportProgress }) => {
      while (!signal.aborted) {
        reportProgress({ progress: ++told, message: 'x'.repeat(10_000) });
        await new Promise((next) => setImmediate(next));
      }
      resolve();
    });
  });
  registry.register({ name: 'large', description: '' }, () => 'x'.repeat(2_000_000));
  const handler = createRegistryHandler(registry, {
    allowAnonymous: true,
    onError: (error) => errors.push(error),
    ...options,
  });
  const server = await serveOnLoopback(toNodeListener(handler, { maxStallMs: options.maxStallMs }));
  return {
    url: server.url,
    port: server.port,
    stopped,
    errors,
    told: () => told,
    [Symbol.asyncDispose]: async () => {
      await handler.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Sends a request and reads nothing of its answer. */
function sendUnread(port: number, body: object, headers: Record<string, string>): Socket {
  const text = JSON.stringify(body);
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  const lines = Object.entries({
    host: 'localhost',
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'content-length': String(text.length),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${text}`);
  return socket;
}

function modernCall(port: number, name: string): Socket {
  const params = { name, arguments: {}, _meta: { ...meta, progressToken: 1 } };
  return sendUnread(
    port,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name },
  );
}

async function legacyCall(url: URL, port: number, name: string): Promise<Socket> {
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const opened = await fetch(url, { method: 'POST', headers, body: JSON.stringify(initialize) });
  await opened.text();
  const params = { name, arguments: {}, _meta: { progressToken: 1 } };
  return sendUnread(
    port,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' },
  );
}

describe('a client that never reads', () => {
  test.each(['modern', 'legacy'] as const)('is dropped at a bound, with its call: %s', async (era) => {
    await using server = await serveFlood({ maxQueuedBytes: 100_000 });
    const socket =
      era === 'modern' ? modernCall(server.port, 'flood') : await legacyCall(server.url, server.port, 'flood');
    await server.stopped;
    expect(server.errors.map(({ message }) => message)).toContain(
      'The client does not read: more than 100000 bytes are pending',
    );
    await ended(socket);
  });

  test('is dropped after too long without progress, and finds out when it reads again', async () => {
    await using server = await serveFlood({ maxQueuedBytes: 1_000_000_000, maxStallMs: 100 });
    const socket = modernCall(server.port, 'flood');
    await server.stopped;
    await ended(socket);
  });

  test('is dropped when only Node has its pending data', async () => {
    let dropped = () => {};
    const isDropped = new Promise<void>((resolve) => (dropped = resolve));
    const endless = () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(100_000)),
        cancel: () => dropped(),
      });
    await using server = await serveOnLoopback(
      toNodeListener({ fetch: async () => new Response(endless()) }, { maxStallMs: 100 }),
    );
    const socket = sendUnread(server.port, {}, {});
    await isDropped;
    await ended(socket);
  });

  test('is not dropped for a result above the bound, once it reads', async () => {
    await using server = await serveFlood({ maxQueuedBytes: 1_000 });
    const socket = modernCall(server.port, 'large');
    let length = 0;
    await new Promise<void>((resolve) => {
      socket.on('data', (data) => {
        length += data.byteLength;
        if (length > 1_000_000) resolve();
      });
      socket.resume();
    });
    socket.destroy();
    expect(server.errors).toEqual([]);
  });
});

/** Reads on until the server has ended the connection. */
async function ended(socket: Socket): Promise<void> {
  await new Promise<void>((resolve) => socket.once('close', () => resolve()).resume());
}
