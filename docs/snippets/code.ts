import assert from 'node:assert/strict';
import { listenToConsole } from './stage/console.js';
import { commentsShown, fencesOf } from './stage/page.js';

const heard = listenToConsole();

// #region types
import { createRegistry } from '@x/mcp-registry';
import { toTypeScript } from '@x/mcp-registry/typescript';

const registry = createRegistry();
registry.attach({
  name: 'git',
  listTools: () => [
    {
      name: 'log',
      description: 'Shows commits.',
      inputSchema: {
        type: 'object',
        properties: { path: { type: 'string' }, limit: { type: 'integer', minimum: 1, default: 10 } },
        required: ['path'],
      },
    },
  ],
  callTool: async () => ({ content: [{ type: 'text', text: 'e9a1 Fix the build' }] }),
});
const tools = registry.list().filter(({ server }) => server === 'git'); // without search_mcp_tools
console.log(toTypeScript({ list: () => tools }));
// #endregion types

assert.equal(heard.lines.join('\n').trim(), fencesOf('docs/code.md', 'text')[0]?.trim());
heard.lines.length = 0;

// #region program
import { createConstantSurface } from '@x/mcp-registry';
import { openCodeRunner } from '@x/mcp-registry/code';

const code = await openCodeRunner(); // once for the app
const surface = createConstantSurface(registry.view(), { code });

// What a model sends: one request in place of two.
const program = `
const logs = await Promise.all(['a', 'b'].map((path) => tools.mcp__git__log({ path })));
return logs.map((log) => log.split(' ')[0]);`;
const { content } = await surface.call('execute_mcp_code', { code: program });
console.log(content[0]); // { type: 'text', text: '["e9a1","e9a1"]' }

await code.close();
// #endregion program

assert.deepEqual(heard.lines, commentsShown('docs/code.md', 'import { createConstantSurface }').slice(2));
await registry.close();
