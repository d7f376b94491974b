// The logins of a fleet. Writes into the folder it is started in: docs/snippets/test/fleet-logins.nats.ts gives it one.

// #region program
// fleet-logins.mjs
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { nkeys } from '@nats-io/transport-node';
import { natsAccountsConfig } from '@x/mcp-fleet/nats';

// The public keys of all logins are kept, for accounts.conf is made of all of them each time. They are no secrets.
const file = 'logins.json';
const keys = existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : {};
const seeds = new Map();
for (const name of ['administrator', ...process.argv.slice(2)]) {
  if (Object.hasOwn(keys, name)) continue;
  const pair = nkeys.createUser();
  keys[name] = pair.getPublicKey();
  seeds.set(name, pair.getSeed());
}

const { administrator, ...others } = keys;
const nodes = Object.keys(others).map((node) => ({ node, nkey: others[node] }));
const accounts = natsAccountsConfig({ fleet: 'team', nodes, administrator: { nkey: administrator } });
for (const [name, seed] of seeds) await writeFile(`${name}.seed`, seed, { mode: 0o600, flag: 'wx' }); // for it alone
await writeFile(file, `${JSON.stringify(keys, null, 2)}\n`);
await writeFile('accounts.conf', accounts);
// #endregion program
