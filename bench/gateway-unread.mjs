// Promise: a caller that reads nothing of what it requests cannot fill a gateway or delay other callers. One caller opens
// thousands of streams and requests thousands of large results, and reads none of them; another caller pings meanwhile.

import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AskedProcess } from './asked-process.mjs';
import { headersOf } from './gateway-unread-requests.mjs';
import { numbersFrom, printConditions, printTable } from './measurement.mjs';

const { streams, results, mb, seconds } = numbersFrom({ streams: 4_000, results: 2_000, mb: 20, seconds: 20 });
const MB = 1024 * 1024;
const PING_EVERY_MS = 20;
const SESSION_VERSION = '2025-11-25';
const env = { ...process.env, NODE_OPTIONS: `--disable-warning=ExperimentalWarning ${process.env.NODE_OPTIONS ?? ''}` };
const gateway = processOf('gateway-unread-process.mjs');
const caller = processOf('gateway-unread-caller.mjs');
const port = await gateway.ask('port');
/** Connections that the other caller keeps: enough that no ping waits for another one. */
const agent = new Agent({ keepAlive: true, maxSockets: 64, maxFreeSockets: 64, scheduling: 'fifo' });
const session = await openSession();
const rows = [
  [
    '',
    'requests',
    'ping p50 ms',
    'ping p99 ms',
    'longest ping ms',
    'new connection, p50 ms',
    'new connection, p99 ms',
    'gateway processor s',
    'longest turn ms',
  ],
];
const memory = [
  [
    '',
    'requests',
    'most resident MB',
    'most waiting MB',
    'in use before MB',
    'in use after MB',
    'waiting after, bytes',
  ],
];
const ended = [];

await Promise.all(Array.from({ length: 64 }, () => ping(agent)));
await pingFor(delay(2_000)); // to warm up
await visit('nothing', { count: 0, tool: 'large', mb: 0 });
await visit('streams of 3 × 1 MB, unread', { count: streams, tool: 'told', mb: 1 });
await visit(`results of ${mb} MB, unread`, { count: results, tool: 'large', mb });
agent.destroy();
await Promise.all([gateway.close(), caller.close()]);
printTable('Pings of another caller', rows);
printTable('Memory of the gateway', memory);
if (ended.length > 0) printTable('Why streams and answers ended', [['', 'reason', 'count'], ...ended]);
printConditions({
  how: [
    `each for ${seconds} s`,
    `another caller pings every ${PING_EVERY_MS} ms, whether or not the last ping is answered`,
  ],
});

async function visit(what, call) {
  const before = await gateway.ask('after');
  await gateway.ask('begin');
  const opened = caller.ask('open', { ...call, port, token: 'the-token-of-bob-1' });
  const took = await pingFor(Promise.all([opened, delay(seconds * 1_000)]));
  const during = await gateway.ask('state');
  await caller.ask('drop');
  const until = performance.now() + 30_000;
  let state = during;
  do {
    await delay(50);
    state = await gateway.ask('state');
  } while (state.left > 0 && performance.now() < until);
  const after = await gateway.ask('after');
  const at = (pings, part) => pings[Math.min(pings.length - 1, Math.floor(pings.length * part))].toFixed(1);
  const { kept, opened: news } = took;
  const inMb = (bytes) => Math.round(bytes / MB);
  rows.push([
    what,
    call.count,
    at(kept, 0.5),
    at(kept, 0.99),
    at(kept, 1),
    at(news, 0.5),
    at(news, 0.99),
    (during.cpuMs / 1_000).toFixed(1),
    during.longestTurnMs.toFixed(0),
  ]);
  memory.push([
    what,
    call.count,
    inMb(state.peak),
    inMb(state.most),
    inMb(before.inUse),
    inMb(after.inUse),
    state.left,
  ]);
  for (const [reason, count] of Object.entries(state.reasons)) ended.push([what, reason, count]);
}

/**
 * Pings at a steady rate until `over` settles, on the connection that the client keeps, and on a new one each time.
 *
 * @returns How long each took, in ascending order.
 */
async function pingFor(over) {
  const kept = [];
  const opened = [];
  const timer = setInterval(() => {
    kept.push(timed(() => ping(agent)));
    opened.push(timed(() => ping()));
  }, PING_EVERY_MS);
  await over;
  clearInterval(timer);
  return { kept: await sorted(kept), opened: await sorted(opened) };
}

async function sorted(pings) {
  return (await Promise.all(pings)).sort((one, other) => one - other);
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function ping(agent) {
  const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const { text } = await post(message, { agent, headers: { 'mcp-session-id': session } });
  if (!text.includes('"result":{}')) throw new Error(text);
}

async function openSession() {
  const params = { protocolVersion: SESSION_VERSION, capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const { headers } = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const id = headers['mcp-session-id'];
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { headers: { 'mcp-session-id': id } });
  return id;
}

/** @param options.agent - Default: a connection of its own. */
function post(message, { agent = false, headers = {} } = {}) {
  return new Promise((resolve, reject) => {
    const all = headersOf({ token: 'the-token-of-alice', version: SESSION_VERSION, headers });
    const outgoing = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', agent, headers: all });
    outgoing.once('error', reject).once('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => (text += part));
      answer.once('error', reject).once('end', () => resolve({ text, headers: answer.headers }));
    });
    outgoing.end(JSON.stringify(message));
  });
}

/** A process each, so that what the callers do is no delay of the gateway's. */
function processOf(file) {
  return new AskedProcess(fileURLToPath(new URL(file, import.meta.url)), [], { node: process.execPath, env });
}
