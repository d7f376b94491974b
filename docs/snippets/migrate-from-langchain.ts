import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { officialServer } from './stage/npx.js';
import { openProject } from './stage/project.js';

const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const folder = openProject({ 'notes.txt': 'Buy milk\n' });
writeFileSync('dot.png', Buffer.from(dot, 'base64'));
const filesystem = officialServer('filesystem', folder);

/** Stands in for `tool` of `@langchain/core/tools`: a function and what a model is told of it become one object. */
const tool = <Fields extends { name: string }>(
  run: (args: Record<string, unknown>, config: { readonly signal?: AbortSignal }) => Promise<unknown>,
  fields: Fields,
) => ({ ...fields, invoke: run });

// #region open
import { openTools } from '@x/mcp';

const tools = await openTools({
  mcpServers: { filesystem },
  roles: [{ role: 'review', allowedTools: ['filesystem.read_*', 'filesystem.list_*'] }],
});
// #endregion open

assert.equal(tools.manager.status().length, 1);

// #region adapter
import type { ContentBlock, RegistryView } from '@x/mcp-registry';
import { openaiChat } from '@x/mcp-registry/formats';

/** What `tool` of `@langchain/core/tools` is called with. */
type MakeTool<Tool> = (
  run: (args: Record<string, unknown>, config: { readonly signal?: AbortSignal }) => Promise<unknown>,
  fields: { name: string; description: string; schema: Record<string, unknown> },
) => Tool;

export function toLangChainTools<Tool>(view: RegistryView, tool: MakeTool<Tool>): Tool[] {
  return openaiChat(view).tools.map(({ function: { name, description, parameters } }) => {
    const run = async (args: Record<string, unknown>, { signal }: { readonly signal?: AbortSignal }) => {
      const { content, isError } = await view.call(name, args, signal && { signal });
      if (isError) throw new Error(content.map((block) => toBlock(block).text).join('\n')); // a ToolMessage with status "error"
      return content.map(toBlock);
    };
    return tool(run, { name, description, schema: { ...parameters } });
  });
}

function toBlock(block: ContentBlock) {
  if (block.type === 'text') return { type: 'text', text: block.text };
  if (block.type !== 'image') return { type: 'text', text: JSON.stringify(block) };
  return { type: 'image_url', image_url: { url: `data:${block.mimeType};base64,${block.data}` } };
}
// #endregion adapter

// #region tools
const forAgent = toLangChainTools(tools.as('review'), tool); // for createAgent, bindTools, ToolNode
// #endregion tools

const named = (name: string) => {
  const found = [...forAgent, ...both].find((tool) => tool.name === name);
  assert.ok(found, name);
  return found;
};

// #region two
import { createConstantSurface } from '@x/mcp-registry';

const both = toLangChainTools(createConstantSurface(tools.as('review')), tool);
// #endregion two

assert.deepEqual(
  both.map(({ name }) => name),
  ['call_mcp_tool', 'search_mcp_tools'],
);
assert.ok(forAgent.every(({ name }) => /^(mcp__filesystem__(read|list)_|search_mcp_tools$)/.test(name)));
const path = `${folder}/notes.txt`;
const milk = [{ type: 'text', text: 'Buy milk\n' }];
assert.deepEqual(await named('mcp__filesystem__read_text_file').invoke({ path }, {}), milk);
const call = { name: 'mcp__filesystem__read_text_file', arguments: { path } };
assert.deepEqual(await named('call_mcp_tool').invoke(call, {}), milk);
const [{ text: found = '' } = {}] = (await named('search_mcp_tools').invoke({ query: 'read a text' }, {})) as [Block];
assert.match(found, /mcp__filesystem__read_text_file/);
const [image] = (await named('mcp__filesystem__read_media_file').invoke({ path: `${folder}/dot.png` }, {})) as [Block];
assert.equal(image.image_url?.url, `data:image/png;base64,${dot}`);

// What goes wrong is thrown, by the tool and by the registry.
const missing = named('mcp__filesystem__read_text_file').invoke({ path: `${folder}/gone.txt` }, {});
await assert.rejects(missing, /ENOENT/);
await assert.rejects(named('mcp__filesystem__read_text_file').invoke({ pth: '' }, {}), { code: 'invalid-arguments' });
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
assert.ok(made > forAgent.length);
await tools.close();

async function follow(): Promise<void> {
  // #region changes
  for await (const _change of tools.changes({ signal })) makeAgent(toLangChainTools(tools, tool));
  // #endregion changes
}

interface Block {
  readonly text?: string;
  readonly image_url?: { readonly url: string };
}
