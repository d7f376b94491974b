import assert from 'node:assert/strict';
import { useInstalledServers } from './stage/npx.js';
import { openProject } from './stage/project.js';

useInstalledServers();
openProject({ 'notes/today.md': 'Buy milk.' });

// #region open
import { openTools } from '@x/mcp';

const tools = await openTools({
  mcpServers: { files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', 'notes'] } },
  roles: [{ role: 'reader', allowedTools: ['files.read_*', 'files.list_*', 'note_count'] }],
});
// #endregion open

// #region add
const counting = tools.add(
  { name: 'note_count', description: 'Counts the notes', inputSchema: { type: 'object' } },
  () => ({ notes: 1 }),
);
// #endregion add

// #region call
const reader = tools.as('reader', { principal: 'alice' });
const note = await reader.call('mcp__files__read_text_file', { path: 'today.md' });
note.text(); // 'Buy milk.'
(await reader.call('note_count')).json<{ notes: number }>().notes; // 1
note.images(); // []: the base64 data and media type of each image
// #endregion call

assert.equal(note.text(), 'Buy milk.');
assert.deepEqual((await reader.call('note_count')).json(), { notes: 1 });
assert.deepEqual(note.images(), []);
counting[Symbol.dispose]();
const toolUse = { type: 'tool_use', id: 'toolu_1', name: 'mcp__files__read_text_file', input: { path: 'today.md' } };

// #region models
import { anthropic } from '@x/mcp/models';

const api = anthropic(reader); // api.tools for a request, api.run(toolUse) for each call of the model
const answer = await api.run(toolUse);
// #endregion models

assert.deepEqual(answer.content, [{ type: 'text', text: 'Buy milk.' }]);
assert.ok(api.tools.some(({ name }) => name === toolUse.name));

// #region reload
const listening = tools.on('change', ({ added, removed }) => console.log(added, removed));
const report = await tools.reload({ mcpServers: {} }); // stops what is gone, after its calls
listening[Symbol.dispose]();
await tools.close({ drainMs: 10_000 }); // calls in progress have ten seconds
// #endregion reload

assert.deepEqual(report.removed, ['files']);
