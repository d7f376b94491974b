// Clients of `mcpx serve` over stdio and HTTP, without an SDK.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { createInterface } from 'node:readline';

const clientInfo = { name: 'bench', version: '1.0.0' };
const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };

/**
 * Starts `mcpx serve` and connects.
 *
 * @returns `request` resolves to the whole response; `close` resolves when the process has ended.
 */
export async function connectServed(mcpx, options, { cwd, env }) {
  const child = spawn(process.execPath, [mcpx, 'serve', ...options], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  let ids = 0;
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method, params) =>
    new Promise((resolve) => {
      const id = ++ids;
      waiting.set(id, resolve);
      send({ id, method, params });
    });
  await request('initialize', initialize);
  send({ method: 'notifications/initialized' });
  const close = async () => {
    child.stdin.end();
    await once(child, 'exit');
  };
  return { pid: child.pid, request, close };
}

/** Starts `mcpx serve --http` at a free port without a token, and connects. As `connectServed`. */
export async function connectServedHttp(mcpx, options, { cwd, env }) {
  const args = [mcpx, 'serve', '--http', '--port', '0', '--no-token', ...options];
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const url = await new Promise((resolve, reject) => {
    let written = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      written += text;
      const [, found] = /Serving \d+ servers? at (\S+)\n/.exec(written) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(written)));
  });
  const agent = new Agent({ keepAlive: true });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  let session = {};
  const post = async (message) => {
    const sent = httpRequest(url, { method: 'POST', agent, headers: { ...headers, ...session } });
    sent.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
    const [response] = await once(sent, 'response');
    const text = Buffer.concat(await response.toArray()).toString();
    return { text, id: response.headers['mcp-session-id'] };
  };
  let ids = 0;
  const request = async (method, params) => messageOf((await post({ id: ++ids, method, params })).text);
  const { id } = await post({ id: ++ids, method: 'initialize', params: initialize });
  session = { 'mcp-protocol-version': initialize.protocolVersion, ...(id !== undefined && { 'mcp-session-id': id }) };
  await post({ method: 'notifications/initialized' });
  const close = async () => {
    agent.destroy();
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { pid: child.pid, request, close };
}

/** Of a body that is JSON, or a stream whose last event is the response. */
function messageOf(text) {
  const at = text.lastIndexOf('data: ');
  return JSON.parse(at === -1 || text.startsWith('{') ? text : text.slice(at + 'data: '.length));
}
