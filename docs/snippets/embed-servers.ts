import assert from 'node:assert/strict';
import { listenToConsole } from './stage/console.js';
import { useInstalledServers } from './stage/npx.js';
import { openProject } from './stage/project.js';

useInstalledServers();
openProject({ 'notes/today.md': 'Buy milk.' });
const heard = listenToConsole();

// #region servers
import { createClientManager } from '@x/mcp-client-manager';
import { createRegistry } from '@x/mcp-registry';

const manager = createClientManager({
  servers: [
    { name: 'files', command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', 'notes'] },
    { name: 'memory', command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] },
    { name: 'weather', command: 'no-such-program' },
  ],
});
const registry = createRegistry({ roles: [{ role: 'reader', allowedTools: ['files.read_*'] }] });
try {
  for (const server of manager.servers()) registry.attach(server);
  for (const outcome of await manager.start()) {
    if (outcome.status === 'failed') console.error(String(outcome.error)); // the others run
  }
  const reader = registry.view({ role: 'reader' });
  const { content } = await reader.call('mcp__files__read_text_file', { path: 'today.md' });
  for (const block of content) if (block.type === 'text') console.log(block.text);
} finally {
  await manager.close(); // resolves when every process is gone
}
// #endregion servers

assert.match(
  heard.lines[0] ?? '',
  /^ManagerError: Server "weather" cannot start: the command "no-such-program" was not found\./,
);
assert.equal(heard.lines[1], 'Buy milk.');
