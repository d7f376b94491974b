import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FakeServerScript } from './fake-server-script.js';

export const scriptFile = 'script.json';
export const historyFile = 'history.jsonl';

const folders = new Set<string>();

export function createServerFolder(script: FakeServerScript): string {
  if (folders.size === 0) process.once('exit', removeAll);
  const folder = mkdtempSync(join(tmpdir(), 'mcp-fake-server-'));
  folders.add(folder);
  writeFileSync(join(folder, scriptFile), JSON.stringify(script));
  writeFileSync(join(folder, historyFile), '');
  return folder;
}

export function removeServerFolder(folder: string): void {
  folders.delete(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  if (folders.size === 0) process.off('exit', removeAll);
}

function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
