import assert from 'node:assert/strict';
import { listenToConsole } from './stage/console.js';
import { useInstalledServers } from './stage/npx.js';
import { openProject } from './stage/project.js';

const heard = listenToConsole();
useInstalledServers();
openProject({ 'README.md': '# A project\n' });

// #region program
import { openTools } from '@x/mcp';

const files = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] };
const tools = await openTools({ mcpServers: { files } }); // starts and supervises it
const { tools: found } = await tools.search('read a text file');
const result = await tools.call('mcp__files__read_text_file', { path: 'README.md' });
console.log(found[0]?.name, result.text());
await tools.close(); // resolves when every process is gone
// #endregion program

assert.deepEqual(heard.lines, ['mcp__files__read_text_file # A project', '']);
assert.deepEqual(
  tools.manager.status().map(({ pid }) => pid),
  [undefined],
);
