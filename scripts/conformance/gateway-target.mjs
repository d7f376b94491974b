import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { testServer } from '../../packages/test-servers/dist/index.js';
import { freePort } from '../free-port.mjs';

const mcpx = resolve(import.meta.dirname, '../../packages/mcp-cli/dist/bin.js');

/**
 * Starts `mcpx serve --http --names as-is` in front of the server that has all that the suite asks for, over stdio.
 * @param {object} options
 * @param {'legacy' | '2026-07-28'} options.protocol - What the gateway speaks with that server.
 * @param {object} [options.beside] - Further servers, by name.
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 */
export async function startGateway({ protocol, beside = {} }) {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-gateway-'));
  const config = join(folder, 'mcp_servers.json');
  const server = { ...testServer('conformance'), protocol, auto_start: true };
  await writeFile(config, JSON.stringify({ mcp_servers: { conformance: server, ...beside } }));
  const port = await freePort();
  // The suite looks at what a web page of the server's own origin is answered.
  const origin = `http://127.0.0.1:${port}`;
  const args = ['serve', '--config', config, '--http', '--port', String(port), '--names', 'as-is'];
  const child = spawn(process.execPath, [mcpx, ...args, '--no-token', '--allowed-origin', origin, '--json'], {
    cwd: folder,
    env: { ...process.env, MCPX_TRUST: '1', HOME: folder, XDG_DATA_HOME: folder, LOCALAPPDATA: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const said = [];
  child.stderr.setEncoding('utf8').on('data', (text) => said.push(text));
  const close = async () => {
    child.kill();
    await exited;
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  for await (const line of createInterface({ input: child.stdout })) return { url: JSON.parse(line).url, close };
  await close();
  throw new Error(`mcpx serve ended before it listened:\n${said.join('')}`);
}
