import assert from 'node:assert/strict';
import { listenToConsole } from './stage/console.js';

const heard = listenToConsole();

// #region program
import { createRegistry } from '@x/mcp-registry';

const registry = createRegistry({ roles: [{ role: 'review', allowedTools: ['files.read_*', 'add'] }] });

// A source is anything with a name, a list of tools and a way to call them.
const attachment = registry.attach({
  name: 'files',
  listTools: async () => [{ name: 'read_text', description: 'Reads a file', inputSchema: { type: 'object' } }],
  callTool: async (tool, args) => ({ content: [{ type: 'text', text: `${tool} ${JSON.stringify(args)}` }] }),
});
await attachment.ready;

// A tool of your own keeps its own name.
registry.register({ name: 'add', description: 'Adds two numbers' }, ({ a, b }) => ({ sum: Number(a) + Number(b) }));

const found = await registry.search({ query: 'read a file' });
console.log(found.tools[0]?.name); // mcp__files__read_text

const reviewer = registry.view({ role: 'review' }); // what is not allowed does not exist here
const result = await reviewer.call('add', { a: 1, b: 2 }, { timeoutMs: 5_000 });
console.log(result.structuredContent); // { sum: 3 }

await registry.close();
// #endregion program

assert.deepEqual(heard.lines, ['mcp__files__read_text', '{ sum: 3 }']);
