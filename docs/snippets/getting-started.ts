import assert from 'node:assert/strict';
import { listenToConsole } from './stage/console.js';
import { useInstalledServers } from './stage/npx.js';
import { fencesOf, linesShown } from './stage/page.js';
import { openProject } from './stage/project.js';

const page = 'docs/getting-started.md';
const [servers = '', roles = ''] = fencesOf(page, 'yaml');
process.env.MCPX_TRUST = '1'; // the page has given consent with mcpx trust
useInstalledServers();
openProject({ 'mcp_servers.yaml': servers, 'tools.yaml': roles, 'notes/today.md': 'Buy milk.' });
const heard = listenToConsole();

// #region program
import { openTools } from '@x/mcp';

const tools = await openTools(); // starts files; memory does not say auto_start, and stays stopped
const { tools: found } = await tools.search({ query: 'read a file', limit: 3 });
for (const tool of found) console.log(tool.name);

const reader = tools.as('reader'); // may only read
const note = await reader.call('mcp__files__read_text_file', { path: 'today.md' });
console.log(note.text());
const write = reader.call('mcp__files__write_file', { path: 'today.md', content: '' });
await write.catch((error) => console.log(error.code, error.message));

const { manager } = tools;
const { pid } = manager.server('files').status;
if (pid !== undefined) process.kill(pid, 'SIGKILL'); // as if it had crashed
for await (const { server, status } of manager.changes()) if (server === 'files' && status?.restarts === 1) break;
const again = await reader.call('mcp__files__read_text_file', { path: 'today.md' });
console.log('Once more:', again.text());

await tools.close(); // resolves when every process is gone
// #endregion program

assert.deepEqual(heard.lines, linesShown(page, 'text', '$ node main.mjs').slice(1));
assert.deepEqual(
  manager.status().map(({ state, pid }) => [state, pid]),
  [
    ['stopped', undefined],
    ['stopped', undefined],
  ],
);
