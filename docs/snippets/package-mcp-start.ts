import assert from 'node:assert/strict';
import { useInstalledServers } from './stage/npx.js';
import { openProject } from './stage/project.js';

useInstalledServers();
openProject({ 'notes/today.md': 'Buy milk.' });
const lines: string[] = [];
const show = (line: string): unknown => lines.push(line);
const mcpServers = {
  files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', 'notes'] },
};

// #region start
import { openTools } from '@x/mcp';

const tools = await openTools({
  mcpServers,
  signal: AbortSignal.timeout(60_000), // then nothing is left running, and openTools rejects
  beforeStart: ({ manager }) => {
    manager.events.on('server-state', ({ server, state }) => show(`${server}: ${state.phase}`));
  },
});
// #endregion start

assert.deepEqual([lines[0], lines.at(-1)], ['files: queued', 'files: ready']);
await tools.close();
