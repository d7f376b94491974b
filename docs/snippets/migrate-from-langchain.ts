import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { DynamicStructuredTool } from './stage/model-packages.js';
import { officialServer } from './stage/npx.js';
import { openProject } from './stage/project.js';

const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const folder = openProject({ 'notes.txt': 'Buy milk\n' });
writeFileSync('dot.png', Buffer.from(dot, 'base64'));
const filesystem = officialServer('filesystem', folder);

// #region open
import { openTools } from '@x/mcp';

const tools = await openTools({
  mcpServers: { filesystem },
  roles: [{ role: 'review', allowedTools: ['filesystem.read_*', 'filesystem.list_*'] }],
});
// #endregion open

assert.equal(tools.manager.status().length, 1);

// #region tools
import { langchain } from '@x/mcp/models';

// For createAgent, bindTools, ToolNode.
const { tools: reviewing } = langchain(tools.as('review'), { DynamicStructuredTool });
// #endregion tools

const named = (name: string) => {
  const found = [...reviewing, ...both].find((tool) => tool.name === name);
  assert.ok(found, name);
  return found;
};

// #region two
import { createConstantSurface } from '@x/mcp-registry';

const { tools: both } = langchain(createConstantSurface(tools.as('review')), { DynamicStructuredTool });
// #endregion two

assert.deepEqual(
  both.map(({ name }) => name),
  ['call_mcp_tool', 'search_mcp_tools'],
);
assert.ok(reviewing.every(({ name }) => /^(mcp__filesystem__(read|list)_|search_mcp_tools$)/.test(name)));
const path = `${folder}/notes.txt`;
const milk = 'Buy milk\n';
assert.deepEqual(await named('mcp__filesystem__read_text_file').invoke({ path }, {}), milk);
const call = { name: 'mcp__filesystem__read_text_file', arguments: { path } };
assert.deepEqual(await named('call_mcp_tool').invoke(call, {}), milk);
const found = await named('search_mcp_tools').invoke({ query: 'read a text' }, {});
assert.match(String(found), /mcp__filesystem__read_text_file/);
const [image] = (await named('mcp__filesystem__read_media_file').invoke({ path: `${folder}/dot.png` }, {})) as [Block];
assert.equal(image.image_url?.url, `data:image/png;base64,${dot}`);

// What goes wrong is thrown, by the tool and by the registry.
const missing = named('mcp__filesystem__read_text_file').invoke({ path: `${folder}/gone.txt` }, {});
await assert.rejects(missing, /ENOENT/);
await assert.rejects(named('mcp__filesystem__read_text_file').invoke({ pth: '' }, {}), /was "pth" meant for it/);
const write = { name: 'mcp__filesystem__write_file', arguments: { path, content: '' } };
await assert.rejects(named('call_mcp_tool').invoke(write, {}), /no tool named/);
const aborted = named('mcp__filesystem__read_text_file').invoke({ path }, { signal: AbortSignal.abort('enough') });
await assert.rejects(aborted, (reason) => reason === 'enough');

const ending = new AbortController();
const { signal } = ending;
let made = 0;
const makeAgent = (using: readonly unknown[]) => {
  made = using.length;
  ending.abort();
};
const following = follow();
tools.add({
  name: 'late',
  listTools: () => [{ name: 'tool', inputSchema: { type: 'object' } }],
  callTool: async () => ({ content: [] }),
});
await following;
assert.ok(made > reviewing.length);
await tools.close();

async function follow(): Promise<void> {
  // #region changes
  const api = langchain(tools, { DynamicStructuredTool });
  for await (const _change of tools.changes({ signal })) makeAgent(api.tools);
  // #endregion changes
}

interface Block {
  readonly image_url?: { readonly url: string };
}
