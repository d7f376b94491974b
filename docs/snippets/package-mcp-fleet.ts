import assert from 'node:assert/strict';
import { listenToConsole } from './stage/console.js';

const heard = listenToConsole();

// #region program
import { createFleet, type FleetSource } from '@x/mcp-fleet';

// A source is anything with a name, a list of tools and a way to call them: a server of a client manager is one as it stands.
const files: FleetSource = {
  name: 'files',
  listTools: () => [{ name: 'read_text', description: 'Reads a file', inputSchema: { type: 'object' } }],
  callTool: async (tool, args) => ({ content: [{ type: 'text', text: `${tool} ${JSON.stringify(args)}` }] }),
};

// Each node is a process, on a machine of its own. Without a `bus` they meet in this one.
await using builder = createFleet({ node: 'builder', sources: [files] });
await builder.whenJoined();
await using laptop = createFleet({ node: 'laptop' });
await laptop.whenJoined();

const [remote] = laptop.sources();
console.log(remote?.name, remote?.state); // files@builder running
const result = await remote?.callTool('read_text', { path: 'README.md' }, { timeoutMs: 5_000 });
console.log(result?.content); // [ { type: 'text', text: 'read_text {"path":"README.md"}' } ]
// #endregion program

assert.deepEqual(heard.lines, [
  'files@builder running',
  `[ { type: 'text', text: 'read_text {"path":"README.md"}' } ]`,
]);
