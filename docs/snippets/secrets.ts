import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { Config } from '@x/mcp-config-schema';
import { listenToConsole } from './stage/console.js';
import { commentsShown, fencesOf } from './stage/page.js';
import { openProject } from './stage/project.js';

const page = 'docs/secrets.md';
const heard = listenToConsole();
const [shown = ''] = fencesOf(page, 'yaml');
process.env.GITHUB_KEY = 'sesame-street';
const ofEnvironment = shown.replace('keychain:github/ada', 'env:GITHUB_KEY');
openProject({ 'mcp_servers.yaml': ofEnvironment.replace('op read op://team/tickets/key', 'node -p 6*7*1000') });

// #region resolve
import { createClientManager } from '@x/mcp-client-manager';
import { loadConfig } from '@x/mcp-config-schema/load';
import { resolveSecrets } from '@x/mcp-config-schema/secrets';

const config = await loadConfig();
const { servers, redactor } = await resolveSecrets(config.servers, { redactor: config.redactor });
const manager = createClientManager({ ...config, servers }, { redact: (text) => redactor.redact(text) });
// #endregion resolve

await manager.close();

{
  // #region printed
  const open = JSON.stringify(servers); // holds them
  const safe = JSON.stringify(redactor.redactData(servers)); // does not
  const places = servers[0]?.sensitive; // [['env', 'GITHUB_TOKEN']]: texts of this server that are not for printing
  // #endregion printed
  for (const secret of ['sesame-street', '42000']) {
    assert.ok(open.includes(secret), open);
    assert.ok(!safe.includes(secret), safe);
  }
  assert.deepEqual(places, [['env', 'GITHUB_TOKEN']]);
}

// #region redact
console.log(redactor.redact('Authorization: Bearer sesame-street')); // Authorization: Bearer ***
console.log(redactor.redactData({ env: { TOKEN: 'sesame-street' } })); // { env: { TOKEN: '***' } }
// #endregion redact

assert.deepEqual(heard.lines, commentsShown(page, 'console.log(redactor'));

writeFileSync('mcp_servers.yaml', ofEnvironment.replace('command:op read op://team/tickets/key', 'vault:team/tickets'));
assert.deepEqual(await readOtherPlaces(await loadConfig()), { 'X-Api-Key': 'the value of team/tickets' });
writeFileSync('mcp_servers.yaml', ofEnvironment);
await assert.rejects(readOtherPlaces(await loadConfig()), /unresolved-secret/);

async function readOtherPlaces(config: Config): Promise<unknown> {
  // #region resolvers
  const { servers } = await resolveSecrets(config.servers, {
    resolvers: {
      vault: async (path, { signal }) => readFromVault(path, { signal }), // for vault:team/tickets
      command: undefined, // no programs are run
    },
  });
  // #endregion resolvers
  const tickets = servers.find(({ name }) => name === 'tickets');
  return tickets?.transport === 'http' ? tickets.headers : undefined;
}

async function readFromVault(path: string, { signal }: { signal: AbortSignal }): Promise<string> {
  signal.throwIfAborted();
  return `the value of ${path}`;
}
