import assert from 'node:assert/strict';
import { listenToConsole } from './stage/console.js';
import { useInstalledServers } from './stage/npx.js';
import { openProject } from './stage/project.js';

process.env.README_TOKEN = 'sesame-street';
const heard = listenToConsole();
useInstalledServers();
openProject({
  'README.md': '# A project\n',
  'mcp_servers.yaml': `
mcp_servers:
  filesystem:
    command: npx -y @modelcontextprotocol/server-filesystem .
    env: { TOKEN: { secret_ref: "env:README_TOKEN" } }
    auto_start: true
`,
  'tools.yaml': `
tools:
  app:
    role_restrictions:
      review: { allowed_tools: [filesystem.read_*] }
`,
});

// #region program
import { openTools } from '@x/mcp';

const tools = await openTools({ config: ['mcp_servers.yaml', 'tools.yaml'] }); // servers, and who may use them
const { tools: found } = await tools.search('list a directory');
const reviewer = tools.as('review'); // what a role may not use does not exist for it
const result = await reviewer.call('mcp__filesystem__read_text_file', { path: 'README.md' });
console.log(result.text());
await tools.close(); // resolves when every process is gone
// #endregion program

assert.ok(
  found.slice(0, 2).some(({ tool }) => tool === 'list_directory'),
  JSON.stringify(found),
);
assert.deepEqual(heard.lines, ['# A project', '']);
assert.ok(reviewer.list().every(({ name }) => /^(mcp__filesystem__read_|search_mcp_tools$)/.test(name)));
assert.deepEqual(
  tools.manager.status().map(({ pid }) => pid),
  [undefined],
);
