import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { scanServers } from '../helpers/offered-tools.js';

const require = createRequire(import.meta.url);

test('the tools of well-known servers have no findings together', async () => {
  const servers = {
    everything: await toolsOf('@modelcontextprotocol/server-everything', ['stdio']),
    filesystem: await toolsOf('@modelcontextprotocol/server-filesystem', [tmpdir()]),
    memory: await toolsOf('@modelcontextprotocol/server-memory'),
  };
  expect(Object.values(servers).flat().length).toBeGreaterThan(30);
  expect(scanServers(servers, ['search_mcp_tools', 'call_mcp_tool'])).toEqual([]);
});

async function toolsOf(name: string, args: readonly string[] = []): Promise<readonly unknown[]> {
  const manifest = require.resolve(`${name}/package.json`);
  const { bin } = require(manifest) as { bin: Record<string, string> };
  const script = join(dirname(manifest), Object.values(bin)[0] ?? '');
  const transport = new StdioClientTransport({ command: process.execPath, args: [script, ...args], stderr: 'ignore' });
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } });
  await client.connect(transport);
  try {
    return (await client.listTools()).tools;
  } finally {
    await client.close();
  }
}
