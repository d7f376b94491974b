// Promise: a caller that reads nothing of what it asks for cannot fill a gateway. One caller opens thousands of streams and
// asks for thousands of large results, and reads none of them; another caller pings meanwhile.

import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AskedProcess } from './asked-process.mjs';
import { numbersFrom, printConditions, printTable } from './measurement.mjs';

const { streams, results, mb, seconds } = numbersFrom({ streams: 4_000, results: 2_000, mb: 20, seconds: 15 });
const MB = 1024 * 1024;
const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const env = { ...process.env, NODE_OPTIONS: '--disable-warning=ExperimentalWarning' };
const gateway = new AskedProcess(here('gateway-unread-process.mjs'), [], { node: process.execPath, env });
const { hostname, port } = new URL(await gateway.ask('url'));
const rows = [
  [
    '',
    'asked for',
    'resident before, MB',
    'most, MB',
    'after, MB',
    'waiting, most MB',
    'left, bytes',
    'ended for room',
    'ping p50 ms',
    'ping p99 ms',
  ],
];

for (let count = 0; count < 100; count++) await ping(); // to warm up
await visit('nothing', 0, 'large', 0);
await visit('streams of 3 × 1 MB, unread', streams, 'told', 1);
await visit(`results of ${mb} MB, unread`, results, 'large', mb);
await gateway.close();
printTable('One caller that reads nothing', rows);
printConditions({ how: [`each for ${seconds} s`, 'another caller pings every 10 ms'] });

async function visit(what, count, tool, size) {
  const before = await gateway.ask('begin');
  const sockets = [];
  let most = 0;
  const until = performance.now() + seconds * 1_000;
  const opening = (async () => {
    for (let index = 0; index < count; index++) {
      const socket = callUnread(tool, size);
      sockets.push(socket);
      if (index % 50 === 49) await delay(1);
    }
  })();
  const took = [];
  while (performance.now() < until) {
    const began = performance.now();
    await ping();
    took.push(performance.now() - began);
    if (took.length % 20 === 0) most = Math.max(most, (await gateway.ask('state')).waiting.bytes);
    await delay(10);
  }
  await opening;
  const { peak, waiting } = await gateway.ask('state');
  for (const socket of sockets) socket.destroy();
  let left;
  do {
    await delay(50);
    left = (await gateway.ask('state')).waiting.bytes;
  } while (left > 0 && performance.now() < until + 30_000);
  const after = await gateway.ask('after');
  took.sort((one, other) => one - other);
  const at = (part) => took[Math.min(took.length - 1, Math.floor(took.length * part))].toFixed(1);
  const inMb = (bytes) => Math.round(bytes / MB);
  rows.push([
    what,
    count,
    inMb(before),
    inMb(peak),
    inMb(after),
    inMb(Math.max(most, waiting.bytes)),
    left,
    waiting.evicted,
    at(0.5),
    at(0.99),
  ]);
}

function callUnread(name, size) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...(name === 'told' && { progressToken: 1 }),
  };
  const params = { name, arguments: { mb: size }, _meta: meta };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const socket = connect(port, hostname).pause();
  socket.on('error', () => undefined);
  socket.write(request(body, 'the-token-of-bob-1', { 'mcp-method': 'tools/call', 'mcp-name': name }));
  return socket;
}

/** On a connection of its own, as a health check does it. */
function ping() {
  return new Promise((resolve, reject) => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } });
    const socket = connect(port, hostname);
    let text = '';
    socket.setEncoding('utf8').on('data', (part) => (text += part));
    socket.once('error', reject).once('close', () => (text.includes('"tools"') ? resolve() : reject(new Error(text))));
    socket.write(request(body, 'the-token-of-alice', { 'mcp-method': 'tools/list', connection: 'close' }));
  });
}

function request(body, token, headers) {
  const all = {
    host: 'localhost',
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'content-length': body.length,
    'mcp-protocol-version': '2026-07-28',
    authorization: `Bearer ${token}`,
    ...headers,
  };
  const lines = Object.entries(all).map(([key, value]) => `${key}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
