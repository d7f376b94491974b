import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestServerName, testServer } from '@x/test-servers';

/** A folder with the given files, deleted when it is disposed of. */
export async function project(files: Readonly<Record<string, string>>): Promise<{ folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'mcpx-test-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  // On Windows, it is in use for a moment after the processes in it have ended.
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }) };
}

export interface ServerEntry {
  readonly name: string;
  readonly server: TestServerName;
  readonly args?: readonly string[];
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The text of a `mcp_servers.yaml` (JSON is YAML too) with test servers in it. */
export function serversFile(entries: readonly ServerEntry[], settings: Readonly<Record<string, number>> = {}): string {
  const servers = entries.map(({ name, server, args = [], fields = {} }) => [
    name,
    { ...testServer(server, ...args), auto_start: true, ...fields },
  ]);
  return JSON.stringify({
    mcp_servers: Object.fromEntries(servers),
    mcp_settings: { shutdown_timeout_seconds: 1, ...settings },
  });
}
