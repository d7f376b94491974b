import assert from 'node:assert/strict';
import { listenToConsole } from './stage/console.js';
import { useInstalledServers } from './stage/npx.js';
import { openProject } from './stage/project.js';

openProject({ 'README.md': 'Well met.' });
useInstalledServers();
const heard = listenToConsole();

// #region start
import { createClientManager } from '@x/mcp-client-manager';

await using manager = createClientManager({
  servers: [
    { name: 'files', command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] },
    { name: 'docs', url: 'https://example.com/mcp', headers: { Authorization: `Bearer ${process.env.DOCS_TOKEN}` } },
  ],
});

manager.events.on('server-state', ({ server, state }) => console.error(server, state.phase));

// Nothing runs yet; the first call starts its server.
const { content } = await manager.callTool('files', 'list_directory', { path: '.' });
console.log(content);
// #endregion start

assert.ok(heard.lines.includes('files ready'));
assert.match(heard.lines.join('\n'), /\[FILE\] README\.md/);

const { signal } = new AbortController();
const onProgress = () => undefined;

// #region handle
const files = manager.server('files');

await files.start(); // stop(), restart()
files.state; // 'stopped' | 'starting' | 'running' | 'degraded' | 'stopping' | 'failed'
files.listTools(); // what is known right now; discoverTools() asks the server
await files.callTool('read_text_file', { path: 'README.md' }, { timeoutMs: 5_000, signal, onProgress });
await files.checkHealth(); // ping, or the tool that the spec names
files.stderrTail();
manager.status(); // a row per server: state, health, pid, tools, restarts, lastError …
// #endregion handle

assert.equal(files.state, 'running');
assert.equal(await files.checkHealth(), true);
assert.ok(files.listTools().some(({ name }) => name === 'read_text_file'));
assert.deepEqual(
  manager.status().map(({ name, state }) => ({ name, state })),
  [
    { name: 'files', state: 'running' },
    { name: 'docs', state: 'stopped' },
  ],
);
