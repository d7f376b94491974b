import assert from 'node:assert/strict';
import { listenToConsole } from './stage/console.js';
import { fencesOf } from './stage/page.js';

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
console.log(toTypeScript(registry.view({ servers: ['git'] })));
// #endregion types

assert.equal(heard.lines.join('\n').trim(), fencesOf('docs/code.md', 'text')[0]?.trim());
await registry.close();
