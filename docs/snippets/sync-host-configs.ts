// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of hosts' files
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '@x/mcp-config-schema/load';
import { currentPlace } from '@x/mcp-host-sync';
import { listenToConsole } from './stage/console.js';
import { fencesOf } from './stage/page.js';
import { openProject } from './stage/project.js';

const page = 'docs/sync-host-configs.md';
const [before = '', after = ''] = fencesOf(page, 'jsonc');
const [shownPlan = '', shownOutcome = ''] = fencesOf(page, 'text');
const [shownServer = ''] = fencesOf(page, 'json');
const heard = listenToConsole();
const home = openProject({
  '.cursor/mcp.json': before,
  'app/mcp_servers.yaml': `mcp_servers:\n  memory:\n    command: memory-mcp\n    env:\n      TOKEN: \${MEMORY_TOKEN}\n`,
});
for (const name of ['XDG_DATA_HOME', 'XDG_STATE_HOME', 'LOCALAPPDATA']) delete process.env[name];
process.chdir('app');
process.env.MEMORY_TOKEN = 'sesame-street';

// #region sync
import { planSync, readHostDocuments, readOwnership, syncHosts } from '@x/mcp-host-sync';

const ours = [
  {
    name: 'search',
    transport: 'http',
    url: 'https://example.com/mcp',
    headers: { Authorization: 'Bearer ${SEARCH_TOKEN}' },
  },
  { name: 'files', transport: 'stdio', command: 'npx', args: ['-y', 'files-mcp', '/srv/data'] },
] as const;
const hosts = ['cursor-user', 'claude-desktop'];

// What would happen: reads, and writes nothing.
const ownership = await readOwnership();
const plan = planSync({ ours, theirs: await readHostDocuments(hosts, { ownership }), ownership });
for (const step of plan.steps) console.log(`${step.type} ${step.server} (${step.host})\n${step.diff}`);
for (const { severity, code, server, host, message } of plan.issues) {
  console.log(`${severity} ${code} ${server} (${host}): ${message}`);
}

// And do it.
const { result } = await syncHosts(ours, { hosts });
for (const { outcome, file } of result?.files ?? []) console.log(outcome, file);
// #endregion sync

const cursorFile = join(home, '.cursor/mcp.json');
if (process.platform === 'linux') {
  assert.equal(`${heard.lines.join('\n')}\n`.replaceAll(home, '/home/ann'), shownPlan + shownOutcome);
}
assert.equal(readFileSync(cursorFile, 'utf8'), after);

const again = await syncHosts(ours, { hosts });
assert.ok(again.plan.steps.every(({ type }) => type === 'keep'));

// #region read
import { readHost } from '@x/mcp-host-sync';

const { servers, gateway, issues } = await readHost('cursor-user');
// #endregion read

assert.deepEqual(
  servers.find(({ name }) => name === 'search'),
  JSON.parse(shownServer),
);
assert.deepEqual({ gateway, issues }, { gateway: [], issues: [] });

await ofConfigFile();
await oneFileFails();
await byFamily();

await syncHosts([], { hosts });
assert.equal(readFileSync(cursorFile, 'utf8'), before, 'a run without servers leaves the first file');

async function ofConfigFile(): Promise<void> {
  // #region config-file
  const { servers } = await loadConfig({ variables: 'keep' });
  const place = currentPlace({ project: process.cwd() });
  await syncHosts(servers, { hosts: ['cursor-project', 'vscode-project'], place });
  // #endregion config-file
  assert.ok(existsSync('.vscode/mcp.json'));
  assert.match(readFileSync('.vscode/mcp.json', 'utf8'), /\$\{env:MEMORY_TOKEN\}/);
}

async function oneFileFails(): Promise<void> {
  const { servers } = await loadConfig({ variables: 'keep' });
  const { file } = await readHost('claude-desktop');
  const good = readFileSync(file);
  writeFileSync(file, '{ "mcpServers": [');
  heard.lines.length = 0;
  // #region applied
  await syncHosts(servers, { hosts, onApplied: ({ file, outcome, backup }) => console.log(outcome, file, backup) });
  // #endregion applied
  assert.equal(heard.lines.length, 1);
  assert.ok(heard.lines[0]?.startsWith(`changed ${cursorFile} `), heard.lines.join());
  const { plan } = await syncHosts(servers, { hosts, dryRun: true });
  assert.deepEqual(
    plan.issues.map(({ code }) => code),
    ['file-not-edited'],
  );
  writeFileSync(file, good);
  await syncHosts(ours, { hosts });
}

async function byFamily(): Promise<void> {
  const project = process.cwd();
  // #region family
  await syncHosts(ours, { hosts: ['claude', 'roo', 'jetbrains', 'zed'], place: currentPlace({ project }) });
  // #endregion family
  for (const file of ['.mcp.json', '.roo/mcp.json', '.zed/settings.json']) assert.ok(existsSync(file), file);
}
