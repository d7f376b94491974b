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

const listed = await client.listTools(); // the first page
const result = await client.callTool({ name: 'read_text_file', arguments: { path: 'notes.txt' } }, undefined, {
  timeout: 5_000,
});
await client.close();

// #endregion before

// #region after
import { openTools } from '@x/mcp';

const clientInfo = { name: 'my-app', version: '1.0.0' };
const tools = await openTools({ mcpServers: { files: { command: 'npx', args } }, manager: { clientInfo } });

const all = tools.list(); // every page, of every server
const answer = await tools.call('mcp__files__read_text_file', { path: 'notes.txt' }, { timeoutMs: 5_000 });
answer.text(); // 'Buy milk\n'
// #endregion after

assert.deepEqual(
  all.flatMap(({ server, tool }) => (server === 'files' ? [tool] : [])).toSorted(),
  listed.tools.map(({ name }) => name).toSorted(),
);
assert.deepEqual(answer.content, result.content);

// #region server
const files = tools.manager.server('files');
files.session?.instructions; // undefined: this server has none
await files.callTool('read_text_file', { path: 'notes.txt' }); // by the tool's own name, without roles and checks
// #endregion server

const memory = new Client(clientInfo);
await memory.connect(new StdioClientTransport(officialServer('memory')));

// #region both
import type { ToolCallResult } from '@x/mcp-registry';
import type { SourceTool } from '@x/mcp-registry/sources';

// A server that you have not moved: its Client stays yours, connected and closed as before.
await tools.registry.attach({
  name: 'memory',
  listTools: async () => (await memory.listTools()).tools as SourceTool[],
  callTool: async (name, args, { signal }) => {
    const answer = await memory.callTool({ name, arguments: args }, undefined, signal && { signal });
    return answer as ToolCallResult;
  },
}).ready;

await tools.call('mcp__files__read_text_file', { path: 'notes.txt' });
await tools.call('mcp__memory__read_graph');
// #endregion both

const names = tools.list().map(({ name }) => name);
assert.ok(names.includes('mcp__files__list_directory') && names.includes('mcp__memory__open_nodes'));

const gone = await files.callTool('read_text_file', { path: 'gone.txt' });
assert.equal(gone.isError, true);
await assert.rejects(tools.call('mcp__files__read_text_file', { pth: 'notes.txt' }), { code: 'invalid-arguments' });

const exited = new Promise((resolve) => {
  Object.assign(process, { exit: resolve });
});

// #region end
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void tools.close().finally(() => process.exit(1)));
}
// #endregion end

process.emit('SIGTERM');
await memory.close();
assert.equal(await exited, 1);
assert.deepEqual(
  tools.manager.status().map(({ pid }) => pid),
  [undefined],
);
