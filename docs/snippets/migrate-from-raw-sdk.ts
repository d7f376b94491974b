import assert from 'node:assert/strict';
import { officialServer, useInstalledServers } from './stage/npx.js';
import { openProject } from './stage/project.js';

useInstalledServers();
openProject({ 'notes.txt': 'Buy milk\n' });

// #region before
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const args = ['-y', '@modelcontextprotocol/server-filesystem', '.'];
const client = new Client({ name: 'my-app', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: 'npx', args }));

const { tools } = await client.listTools(); // the first page
const result = await client.callTool({ name: 'read_text_file', arguments: { path: 'notes.txt' } }, undefined, {
  timeout: 5_000,
});
await client.close();

// #endregion before

// #region after
import { createClientManager } from '@x/mcp-client-manager';

const clientInfo = { name: 'my-app', version: '1.0.0' };
const manager = createClientManager({ servers: [{ name: 'files', command: 'npx', args }] }, { clientInfo });

const files = manager.server('files'); // nothing runs yet
const all = await files.discoverTools(); // starts it; every page
const answer = await files.callTool('read_text_file', { path: 'notes.txt' }, { timeoutMs: 5_000 });
// #endregion after

assert.deepEqual(
  all.map(({ name }) => name),
  tools.map(({ name }) => name),
);
assert.deepEqual(answer.content, result.content);

const memory = new Client(clientInfo);
await memory.connect(new StdioClientTransport(officialServer('memory')));

// #region both
import { createRegistry, type SourceTool, type ToolCallResult } from '@x/mcp-registry';

const registry = createRegistry();
for (const server of manager.servers()) registry.attach(server); // those that you have moved

// One that you have not: its Client stays yours, connected and closed as before.
await registry.attach({
  name: 'memory',
  listTools: async () => (await memory.listTools()).tools as SourceTool[],
  callTool: async (name, args, { signal }) => {
    const answer = await memory.callTool({ name, arguments: args }, undefined, signal && { signal });
    return answer as ToolCallResult;
  },
}).ready;

await registry.call('mcp__files__read_text_file', { path: 'notes.txt' });
await registry.call('mcp__memory__read_graph');
// #endregion both

const names = registry.list().map(({ name }) => name);
assert.ok(names.includes('mcp__files__list_directory') && names.includes('mcp__memory__open_nodes'));

const gone = await files.callTool('read_text_file', { path: 'gone.txt' });
assert.equal(gone.isError, true);
await assert.rejects(registry.call('mcp__files__read_text_file', { pth: 'notes.txt' }), { code: 'invalid-arguments' });

const exited = new Promise((resolve) => {
  Object.assign(process, { exit: resolve });
});

// #region end
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void manager.close().finally(() => process.exit(1)));
}
// #endregion end

process.emit('SIGTERM');
await memory.close();
assert.equal(await exited, 1);
assert.deepEqual(
  manager.status().map(({ pid }) => pid),
  [undefined],
);
