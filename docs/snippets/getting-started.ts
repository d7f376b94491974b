import assert from 'node:assert/strict';
import { listenToConsole } from './stage/console.js';
import { useInstalledServers } from './stage/npx.js';
import { fencesOf, linesShown } from './stage/page.js';
import { openProject } from './stage/project.js';

const page = 'docs/getting-started.md';
const [servers = '', roles = ''] = fencesOf(page, 'yaml');
useInstalledServers();
openProject({ 'mcp_servers.yaml': servers, 'tools.yaml': roles, 'notes/today.md': 'Buy milk.' });
const heard = listenToConsole();

// #region program
import { createClientManager } from '@x/mcp-client-manager';
import { loadConfig } from '@x/mcp-config-schema/load';
import { createRegistry } from '@x/mcp-registry';

const config = await loadConfig(); // throws one error that lists every mistake in the files
const manager = createClientManager(config); // nothing runs yet
const registry = createRegistry({ roles: config.roles });
for (const server of manager.servers()) registry.attach(server);

await manager.start(); // returns when files is ready; memory does not say auto_start, and stays stopped
const { tools } = await registry.search({ query: 'read a file', limit: 3 });
for (const tool of tools) console.log(tool.name);

const reader = registry.view({ role: 'reader' }); // may only read
const { content } = await reader.call('mcp__files__read_text_file', { path: 'today.md' });
console.log(content[0]?.text);
const write = reader.call('mcp__files__write_file', { path: 'today.md', content: '' });
await write.catch((error) => console.log(error.code, error.message));

const { pid } = manager.server('files').status;
if (pid !== undefined) process.kill(pid, 'SIGKILL'); // as if it had crashed
for await (const { server, status } of manager.changes()) if (server === 'files' && status?.restarts === 1) break;
const again = await reader.call('mcp__files__read_text_file', { path: 'today.md' });
console.log('Once more:', again.content[0]?.text);

await manager.close(); // resolves when every process is gone
// #endregion program

assert.deepEqual(heard.lines, linesShown(page, 'text', '$ node main.mjs').slice(1));
assert.deepEqual(
  manager.status().map(({ state, pid }) => [state, pid]),
  [
    ['stopped', undefined],
    ['stopped', undefined],
  ],
);
