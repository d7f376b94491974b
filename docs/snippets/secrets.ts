import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { LoadedConfig } from '@x/mcp-config-schema/load';
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
import { createSecretLookup } from '@x/mcp-config-schema/secrets';

const config = await loadConfig();
const manager = createClientManager(config, createSecretLookup({ redactor: config.redactor }));
// #endregion resolve

await manager.close();

// #region ahead
const { servers, redactor } = await loadConfig({ secrets: 'resolve' });
// #endregion ahead

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
await assert.rejects(readOtherPlaces(await loadConfig()), (error: Error) =>
  error.message.includes('"command" is not a known scheme'),
);

async function readOtherPlaces(config: LoadedConfig): Promise<unknown> {
  // #region resolvers
  const secrets = createSecretLookup({
    redactor: config.redactor,
    resolvers: {
      vault: async (path, { signal }) => readFromVault(path, { signal }), // for vault:team/tickets
      command: undefined, // no programs are run
    },
  });
  // #endregion resolvers
  const tickets = config.servers.find(({ name }) => name === 'tickets');
  const values = tickets?.secrets?.map(async (each) => [each.key, await secrets.resolveSecret(each)]) ?? [];
  return Object.fromEntries(await Promise.all(values));
}

async function readFromVault(path: string, { signal }: { signal: AbortSignal }): Promise<string> {
  signal.throwIfAborted();
  return `the value of ${path}`;
}
