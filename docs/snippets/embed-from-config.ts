import assert from 'node:assert/strict';
import { useInstalledServers } from './stage/npx.js';
import { openProject } from './stage/project.js';

process.env.FILES_TOKEN = 'sesame-street';
useInstalledServers();
openProject({
  'README.md': '# A project\n',
  'mcp_servers.yaml': `
mcp_servers:
  filesystem:
    command: npx -y @modelcontextprotocol/server-filesystem .
    env: { TOKEN: { secret_ref: "env:FILES_TOKEN" } }
    auto_start: true
`,
  'tools.yaml': `
tools:
  app:
    role_restrictions:
      review: { allowed_tools: [filesystem.read_*] }
`,
});

// #region parts
import { createClientManager } from '@x/mcp-client-manager';
import { loadConfig } from '@x/mcp-config-schema/load';
import { createSecretLookup } from '@x/mcp-config-schema/secrets';
import { createRegistry } from '@x/mcp-registry';

const config = await loadConfig({ cwd: process.cwd() }); // throws one error with every issue in it
const secrets = createSecretLookup({ redactor: config.redactor }); // asked for each server when it starts
const manager = createClientManager(config, secrets); // nothing is spawned yet
const registry = createRegistry({ roles: config.roles });
for (const server of manager.servers()) registry.attach(server);

await manager.start();
const { tools } = await registry.search({ query: 'list a directory', limit: 5 });

const reviewer = registry.view({ role: 'review' }); // what a role may not use does not exist for it
const { content } = await reviewer.call('mcp__filesystem__read_text_file', { path: 'README.md' });

await manager.close(); // resolves when every process is gone
// #endregion parts

assert.ok(
  tools.slice(0, 2).some(({ tool }) => tool === 'list_directory'),
  JSON.stringify(tools),
);
assert.equal(secrets.redact('sesame-street'), '***'); // it was looked up for the start
assert.deepEqual(content, [{ type: 'text', text: '# A project\n' }]);
assert.ok(reviewer.list().every(({ name }) => /^(mcp__filesystem__read_|search_mcp_tools$)/.test(name)));
assert.deepEqual(
  manager.status().map(({ pid }) => pid),
  [undefined],
);
