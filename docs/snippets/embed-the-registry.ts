import assert from 'node:assert/strict';
import { listenToConsole } from './stage/console.js';
import { linesShown } from './stage/page.js';

const heard = listenToConsole();

// #region registry
import { createRegistry, isRegistryError } from '@x/mcp-registry';
import { z } from 'zod';

await using registry = createRegistry();

// A source is anything with a name, a list of tools and a way to call them: a managed server, or this object.
const attachment = registry.attach({
  name: 'files',
  listTools: () => [
    {
      name: 'read_text',
      description: 'Reads a text file',
      inputSchema: {
        type: 'object',
        properties: { path: { type: 'string' }, limit: { type: 'integer', minimum: 1 } },
        required: ['path'],
        additionalProperties: false,
      },
    },
  ],
  callTool: async (tool, args) => ({ content: [{ type: 'text', text: `${tool} ${JSON.stringify(args)}` }] }),
});
await attachment.ready;

// A tool of your app. The handler's arguments have the types that the schema gives.
registry.register(
  { name: 'add', description: 'Adds two numbers', inputSchema: z.object({ a: z.number(), b: z.number().default(1) }) },
  ({ a, b }) => ({ sum: a + b }),
);

console.log(registry.list().map(({ name }) => name));
console.log((await registry.describe('mcp__files__read_text'))?.signature);
console.log((await registry.call('add', { a: 2 })).structuredContent);

try {
  await registry.call('mcp__files__read_text', { pth: 'README.md' });
} catch (error) {
  if (!isRegistryError(error)) throw error;
  console.log(error.message);
}
// #endregion registry

assert.deepEqual(heard.lines, linesShown('docs/embed-the-registry.md', 'text', '[ '));

{
  await using registry = createRegistry({ roles: [{ role: 'review', allowedTools: ['files'] }] });
  const instructions = 'Read before you write.';
  await registry.attach({
    name: 'files',
    instructions,
    listTools: () => [{ name: 'read', inputSchema: { type: 'object' } }],
    callTool: async () => ({ content: [] }),
  }).ready;
  // #region instructions
  const system = ['You help with files.', await registry.view({ role: 'review' }).instructions()].join('\n\n');
  // #endregion instructions
  const shown = linesShown('docs/embed-the-registry.md', 'text', 'Instructions of');
  assert.deepEqual(system.split('\n').slice(2), shown);
}

const gone: string[] = [];
const closing = new AbortController();
const following = follow(closing.signal);
attachment[Symbol.dispose]();
await following;
assert.deepEqual(gone, ['mcp__files__read_text']);

async function follow(signal: AbortSignal): Promise<void> {
  // #region changes
  for await (const { added, removed, changed } of registry.changes({ signal })) refreshMenu(added, removed, changed);
  // #endregion changes
}

function refreshMenu(_added: readonly string[], removed: readonly string[], _changed: readonly string[]): void {
  gone.push(...removed);
  closing.abort();
}
