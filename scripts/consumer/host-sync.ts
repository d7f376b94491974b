// A program that writes a server into the config file of an editor, and removes it again.
import { equal, match } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { currentPlace, type HostServer, isHostFileError, type SyncOptions, syncHosts } from '@x/mcp-host-sync';

const home = await realpath(await mkdtemp(join(tmpdir(), 'consumer-host-sync-')));
const place = { ...currentPlace({ project: home }), home, env: {} };
const options: SyncOptions = { hosts: ['cursor-project'], place };
const servers: readonly HostServer[] = [{ name: 'greeter', transport: 'stdio', command: 'node', args: ['server.mjs'] }];
const file = join(home, '.cursor', 'mcp.json');
try {
  const { plan } = await syncHosts(servers, { ...options, dryRun: true });
  equal(plan.steps.map(({ type, server }) => `${type} ${server}`).join(), 'add greeter');
  equal(existsSync(file), false);
  await syncHosts(servers, options);
  match(await readFile(file, 'utf8'), /"greeter": \{/);
  await syncHosts([], options);
  equal(existsSync(file), false);
  equal(isHostFileError(new Error('of something else')), false);
} finally {
  await rm(home, { recursive: true, force: true });
}
