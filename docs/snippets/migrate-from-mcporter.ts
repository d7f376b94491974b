import assert from 'node:assert/strict';
import { run } from '@x/mcp-cli';
import { useInstalledServers } from './stage/npx.js';
import { fencesOf } from './stage/page.js';
import { openProject } from './stage/project.js';

const page = 'docs/migrate-from-mcporter.md';
const [theirs = ''] = fencesOf(page, 'json');
const [ours = ''] = fencesOf(page, 'yaml');
useInstalledServers();
openProject({ 'config/mcporter.json': theirs, 'notes.txt': 'Buy milk\n' });
process.env.TICKETS_TOKEN = 'a-token-of-tickets';
process.env.MCPX_TRUST = '1'; // whoever wrote these configs agrees to what they run

// What the page says of `mcpx import mcporter`: which keys it takes over, and which it says have to be written by hand.
const imported = JSON.parse(await mcpx('import', 'mcporter', '--scope', 'project', '--json'));
assert.deepEqual(imported.servers, {
  files: {
    command: 'npx',
    args: ['-y', '@modelcontextprotocol/server-filesystem', '.'],
    env: { LOG_LEVEL: '$' + '{LOG_LEVEL:-info}' },
    denied_tools: ['write_file', 'edit_file', 'move_file'],
  },
  tickets: { url: 'https://tickets.example.com/mcp', headers: { Authorization: '$' + '{TICKETS_TOKEN}' } },
});
assert.deepEqual(
  imported.warnings.map(({ server, message }: { server: string; message: string }) => [server, message]),
  [['files', 'These fields have no counterpart and are not read: lifecycle']],
);

const asOneText = { command: 'npx -y files-mcp .', env: { TOKEN: '$env:FILES_TOKEN' } };
openProject({ 'config/mcporter.json': JSON.stringify({ mcpServers: { files: asOneText } }) });
assert.deepEqual(JSON.parse(await mcpx('import', 'mcporter', '--scope', 'project', '--json')).servers, {
  files: { command: 'npx', args: ['-y', 'files-mcp', '.'], env: { TOKEN: '$' + '{FILES_TOKEN}' } },
});

const roles =
  "tools: { my-script: { role_restrictions: { reader: { allowed_tools: ['files.read_*', 'files.list_*'] } } } }";
openProject({ 'mcp_servers.yaml': ours, 'tools.yaml': roles, 'notes.txt': 'Buy milk\n' });
assert.equal(JSON.parse(await mcpx('validate', '--json')).ok, true);
assert.match(await mcpx('call', 'files.read_text_file', 'path=notes.txt'), /Buy milk/);

// Without the server of the tickets, which does not exist and which `openTools` would wait for.
openProject({
  'mcp_servers.yaml': ours.replace(/tickets:[\s\S]*/, ''),
  'tools.yaml': roles,
  'notes.txt': 'Buy milk\n',
});

// #region once
import { openTools } from '@x/mcp';

const tools = await openTools({ config: ['mcp_servers.yaml', 'tools.yaml'] });
const note = await tools.call('mcp__files__read_text_file', { path: 'notes.txt' });
note.text(); // 'Buy milk\n'
// #endregion once

assert.equal(note.text(), 'Buy milk\n');

// #region role
const reader = tools.as('reader');
const { tools: found } = await reader.search('read a text file');
const result = await reader.call('mcp__files__read_text_file', { path: 'notes.txt' });
// #endregion role

assert.ok(found.some(({ tool }) => tool === 'read_text_file'));
assert.equal(result.text(), 'Buy milk\n');
assert.ok(reader.list().every(({ name }) => /^(mcp__files__(read|list)_|search_mcp_tools$)/.test(name)));
assert.ok(tools.list().every(({ tool }) => tool !== 'write_file'));

/** Stands in for what mcporter's `createRuntime` makes: this is what is used of it. */
const runtime = {
  listTools: async (_server: string, _options: { includeSchema: true }) => [
    { name: 'read', description: 'Reads a ticket', inputSchema: { type: 'object' } },
  ],
  callTool: async (server: string, tool: string, _options: object): Promise<unknown> => ({
    content: [{ type: 'text', text: `${tool} of ${server}` }],
  }),
};

// #region both
import type { ToolCallResult } from '@x/mcp-registry';
import type { SourceTool } from '@x/mcp-registry/sources';

// `runtime` is what mcporter's `createRuntime` has made.
await tools.registry.attach({
  name: 'tickets',
  listTools: async () => (await runtime.listTools('tickets', { includeSchema: true })) as SourceTool[],
  callTool: async (tool, args) => (await runtime.callTool('tickets', tool, { args: { ...args } })) as ToolCallResult,
}).ready;
await tools.call('mcp__tickets__read', { id: 7 });
// #endregion both

assert.equal((await tools.call('mcp__tickets__read')).text(), 'read of tickets');
await tools.close();

/** What a command prints; it must succeed. */
async function mcpx(...line: readonly string[]): Promise<string> {
  let printed = '';
  const { env, stdin } = process;
  const stdout = { write: (text: string) => (printed += text) };
  const stderr = { write: (text: string) => (told += text) };
  let told = '';
  const signal = AbortSignal.timeout(60_000);
  assert.equal(await run(line, { stdin, stdout, stderr, env, cwd: process.cwd(), signal }), 0, told);
  return printed;
}
