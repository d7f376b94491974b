// `mcpx serve` over HTTP, for checks with programs of others.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './root.mjs';

export const mcpx = join(root, 'packages', 'mcp-cli', 'dist', 'bin.js');

/** A gateway over HTTP, and the token that it has made for itself. */
export async function startGateway({ cwd, env }) {
  const args = [mcpx, 'serve', '--own-servers', '--http', '--port', '0', '--json'];
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const line = await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', resolve);
    ended.then((code) => reject(new Error(`mcpx serve ended with exit code ${code}`)));
  });
  const { url, tokenFile } = JSON.parse(line);
  const token = (await readFile(tokenFile, 'utf8')).trim();
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { url, token, stop };
}
