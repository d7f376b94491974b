import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const packages = join(dirname(import.meta.dirname), 'node_modules');

/** Puts an `npx` on PATH that starts the official servers from node_modules: nothing is downloaded, no registry is asked. */
export function useInstalledServers(): void {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-npx-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const npx = join(folder, 'npx');
  writeFileSync(
    npx,
    `#!/bin/sh\nserver=$2\nshift 2\nexec '${process.execPath}' "${packages}/$server/dist/index.js" "$@"\n`,
  );
  chmodSync(npx, 0o755);
  process.env.PATH = `${folder}${delimiter}${process.env.PATH}`;
}

/** What that `npx` runs for one of them, without it. */
export function officialServer(name: 'everything' | 'filesystem' | 'memory', ...args: readonly string[]) {
  const entry = join(packages, '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js');
  return { command: process.execPath, args: [entry, ...args] };
}
