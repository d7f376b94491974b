import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type HostServer, planSync, readHost, readHostDocuments, readOwnership, syncHosts } from '../src/index.js';
import { temporaryMachine, textOf } from './helpers/temporary-machine.js';

const page = readFileSync(new URL('../../../docs/sync-host-configs.md', import.meta.url), 'utf8');

const ours: readonly HostServer[] = [
  {
    name: 'search',
    transport: 'http',
    url: 'https://example.com/mcp',
    headers: { Authorization: `Bearer \${SEARCH_TOKEN}` },
  },
  { name: 'files', transport: 'stdio', command: 'npx', args: ['-y', 'files-mcp', '/srv/data'] },
];

test.skipIf(process.platform === 'win32')('the output in the page on syncing is real', async () => {
  const machine = await temporaryMachine();
  const before = '{\n  // mine\n  "mcpServers": {\n    "db": { "command": "uvx",   "args": ["db-mcp"] }\n  }\n}\n';
  const file = await machine.file('home/.cursor/mcp.json', before);
  const place = { ...machine.place, platform: 'linux' as const };
  const options = { hosts: ['cursor-user', 'claude-desktop'], place, stateDirectory: machine.stateDirectory };
  const shown: string[] = [];

  const ownership = await readOwnership(options);
  const theirs = await readHostDocuments(options.hosts, { ...options, ownership });
  const plan = planSync({ ours, theirs, ownership });
  for (const step of plan.steps) shown.push(`${step.type} ${step.server} (${step.host})\n${step.diff}`);
  for (const issue of plan.issues)
    shown.push(`${issue.severity} ${issue.code} ${issue.server} (${issue.host}): ${issue.message}`);
  shown.push(before);

  const { result } = await syncHosts(ours, options);
  for (const { outcome, file: path } of result?.files ?? []) shown.push(`${outcome} ${path}`);
  shown.push(await textOf(file));

  const reading = await readHost('cursor-user', place);
  shown.push(JSON.stringify(reading.servers[1], null, 2));
  for (const part of shown) expect(page).toContain(part.replaceAll(machine.home, '/home/ann').trimEnd());
});
