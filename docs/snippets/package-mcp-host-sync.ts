import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listenToConsole } from './stage/console.js';
import { fencesOf } from './stage/page.js';
import { openProject } from './stage/project.js';

const page = 'packages/mcp-host-sync/README.md';
const [before = '', after = ''] = fencesOf(page, 'jsonc');
const [shownPlan = ''] = fencesOf(page, 'text');
const home = openProject({ 'app/.cursor/mcp.json': before });
for (const name of ['XDG_DATA_HOME', 'XDG_STATE_HOME', 'LOCALAPPDATA']) delete process.env[name];
process.chdir(join(home, 'app'));
const heard = listenToConsole();

// #region sync
import { currentPlace, syncHosts } from '@x/mcp-host-sync';

const servers = [
  { name: 'files', transport: 'stdio', command: 'npx', args: ['-y', 'files-mcp', '/srv/data'] },
] as const;
const options = { hosts: ['cursor-project', 'vscode-project'], place: currentPlace({ project: process.cwd() }) };

const { plan } = await syncHosts(servers, { ...options, dryRun: true }); // reads, and writes nothing
for (const { type, server, host, diff } of plan.steps) console.log(`${type} ${server} (${host})\n${diff}`);

await syncHosts(servers, options);
// #endregion sync

if (process.platform === 'linux') {
  assert.equal(`${heard.lines.join('\n')}\n`.replaceAll(process.cwd(), '/srv/app'), shownPlan);
}
assert.equal(readFileSync('.cursor/mcp.json', 'utf8'), after);
assert.ok(existsSync('.vscode/mcp.json'));

// #region remove
await syncHosts([], options); // removes the entries of the first run, and no others
// #endregion remove

assert.equal(readFileSync('.cursor/mcp.json', 'utf8'), before);
assert.ok(!existsSync('.vscode/mcp.json'));

writeFileSync('mcp_servers.yaml', 'mcp_servers: { files: { command: npx -y files-mcp } }\n');
await ofConfigFile();
assert.match(readFileSync('.cursor/mcp.json', 'utf8'), /"files": \{/);

async function ofConfigFile(): Promise<void> {
  const { loadConfig } = await import('@x/mcp-config-schema/load');
  // #region config
  const { servers } = await loadConfig({ variables: 'keep' }); // values of variables stay in the environment
  await syncHosts(servers, options);
  // #endregion config
}
