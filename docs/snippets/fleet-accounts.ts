import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { openProject } from './stage/project.js';

openProject();

// #region program
import { writeFile } from 'node:fs/promises';
import { nkeys } from '@nats-io/transport-node';
import { natsAccountsConfig } from '@x/mcp-fleet/nats';

const hosts: { host: string; nkey: string }[] = [];
for (const host of ['build-1', 'build-2', 'laptop-anna']) {
  const pair = nkeys.createUser();
  await writeFile(`${host}.seed`, pair.getSeed(), { mode: 0o600, flag: 'wx' }); // for this host alone
  hosts.push({ host, nkey: pair.getPublicKey() }); // what the server knows is no secret
}
await writeFile('accounts.conf', natsAccountsConfig({ fleet: 'team', hosts }));
// #endregion program

const accounts = readFileSync('accounts.conf', 'utf8');
assert.equal(accounts.match(/nkey: U[A-Z2-7]{55}\n/g)?.length, 3);
assert.match(readFileSync('build-1.seed', 'utf8'), /^SU[A-Z2-7]+$/);
assert.equal(statSync('build-1.seed').mode & 0o777, 0o600);
for (const line of ['"mcp-fleet.team.call.*.*.build-1"', '"$KV.mcp-fleet_team.server.build-1.>"']) {
  assert.ok(accounts.includes(line), `${line}, as docs/fleet.md shows it`);
}
