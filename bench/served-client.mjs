// A client of `mcpx serve` over stdio, without an SDK.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

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
  const clientInfo = { name: 'bench', version: '1.0.0' };
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  send({ method: 'notifications/initialized' });
  const close = async () => {
    child.stdin.end();
    await once(child, 'exit');
  };
  return { pid: child.pid, request, close };
}
