import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../free-port.mjs';

const mcpx = resolve(import.meta.dirname, '../../packages/mcp-cli/dist/bin.js');

/**
 * Starts `mcpx serve --http --names as-is` in front of a server.
 * @param {object} server - Its entry in the config.
 * @param {object} [beside] - Further entries, by name.
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 */
export async function startGateway(server, beside = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-gateway-'));
  const config = join(folder, 'mcp_servers.json');
  await writeFile(config, JSON.stringify({ mcp_servers: { conformance: { ...server, auto_start: true }, ...beside } }));
  const port = await freePort();
  // The suite looks at what a web page of the server's own origin is answered.
  const origin = `http://127.0.0.1:${port}`;
  const args = ['serve', '--own-servers', '--config', config, '--http', '--port', String(port), '--names', 'as-is'];
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

/** Starts the independent server over HTTP. */
export async function startIndependent(file) {
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  const close = async () => {
    child.kill();
    await exited;
  };
  for await (const line of createInterface({ input: child.stdout })) return { url: JSON.parse(line).url, close };
  throw new Error('The independent server ended before it listened');
}
