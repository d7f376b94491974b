import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { ToolSource } from '@x/internal/contracts';
import { createRegistry } from '../../src/registry.js';

const require = createRequire(import.meta.url);

/** A registry of the real tools of three published servers. Disposing ends their processes. */
export async function openNpmServers() {
  const folder = await mkdtemp(join(tmpdir(), 'npm-servers-'));
  const clients: Client[] = [];
  const registry = createRegistry();
  const attach = async (name: string, entry: string, args: readonly string[] = []) => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    clients.push(client);
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [entry, ...args],
        env: { ...process.env, MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } as Record<string, string>,
        stderr: 'ignore',
      }),
    );
    const { tools } = await client.listTools();
    const source: ToolSource = {
      name,
      listTools: () => tools as never,
      callTool: async (tool, given) => (await client.callTool({ name: tool, arguments: { ...given } })) as never,
    };
    await registry.attach(source).ready;
  };
  await Promise.all([
    attach('everything', require.resolve('@modelcontextprotocol/server-everything/dist/index.js')),
    attach('filesystem', require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'), [folder]),
    attach('memory', require.resolve('@modelcontextprotocol/server-memory/dist/index.js')),
  ]);
  return {
    registry,
    folder,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(clients.map((client) => client.close()));
      await registry.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
