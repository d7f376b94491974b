import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createClientManager } from '@x/mcp-client-manager';
import { listenToConsole } from './stage/console.js';
import { fencesOf, linesShown } from './stage/page.js';
import { openProject } from './stage/project.js';

const page = 'docs/extensions.md';
const [manifest = ''] = fencesOf(page, 'toml');
const [servers = '', resolved = ''] = fencesOf(page, 'json');
const folder = 'extensions/vault-spec';
const project = openProject({
  [`${folder}/extension.toml`]: manifest,
  [`${folder}/mcp.json`]: servers,
  [`${folder}/.venv/bin/python`]: '',
  [`${folder}/.venv/Scripts/python.exe`]: '',
});
chmodSync(`${folder}/.venv/bin/python`, 0o755);
const heard = listenToConsole();

// #region editors
import { resolveExtension } from '@x/mcp-config-schema/extension';
import { currentPlace, syncHosts } from '@x/mcp-host-sync';

const root = process.cwd();
const extension = await resolveExtension('extensions/vault-spec', { root });
const { plan } = await syncHosts(extension.servers, {
  hosts: ['claude-code-project', 'roo-project', 'junie-project', 'zed-project'],
  place: currentPlace({ project: root }),
  owner: 'vault-spec',
});
for (const { type, server, host, file } of plan.steps) console.log(`${type} ${server} ${host} ${file}`);
// #endregion editors

assert.deepEqual(heard.lines.map(asShown), linesShown(page, 'text', 'add '));
const written = JSON.parse(asShown(readFileSync('.mcp.json', 'utf8')));
assert.deepEqual(written.mcpServers['vs-subagent-mcp'], { type: 'stdio', ...JSON.parse(resolved) });

{
  // #region expand
  const { servers } = await resolveExtension('extensions/vault-spec', { root, variables: 'expand' });
  const ready = servers.map((server) => (server.transport === 'stdio' ? { cwd: root, ...server } : server));
  // #endregion expand
  await using manager = createClientManager({ servers: ready });
  assert.ok(ready.every((server) => server.transport === 'stdio' && server.cwd === root));
  assert.deepEqual(
    manager.servers().map(({ name }) => name),
    ['vs-subagent-mcp'],
  );
}

writeFileSync(`${folder}/extension.toml`, 'provides.mcp = "mcp.jsn"\n');
heard.lines.length = 0;

// #region check
import { formatIssue } from '@x/mcp-config-schema';
import { checkExtension } from '@x/mcp-config-schema/extension';

const { issues, texts, redactor } = await checkExtension('extensions/vault-spec', { root });
for (const issue of issues) console.error(formatIssue(issue, { text: texts.get(issue.file ?? ''), redactor }));
// #endregion check

assert.deepEqual(
  heard.lines.map(asShown),
  linesShown(page, 'text', '/srv/app/extensions/vault-spec/extension.toml:1:16'),
);

function asShown(text: string): string {
  return text.replaceAll(project, '/srv/app');
}
