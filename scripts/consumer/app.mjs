// An app that uses what loads late: config files, processes, HTTP with a sign-in, files that are written, patterns.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClientManager } from '@x/mcp-client-manager';
import { createClientCredentialsProvider, createFileTokenStore } from '@x/mcp-client-manager/auth';
import { createRegistry } from '@x/mcp-registry';
import { createPinFile } from '@x/mcp-registry/node';
import './open-tools.mjs';

const folder = await mkdtemp(join(tmpdir(), 'bundled-'));
const auth = createClientCredentialsProvider({
  clientId: 'app',
  clientSecret: 'app-secret',
  issuer: process.env.ISSUER,
});
const manager = createClientManager({ servers: { web: { url: `${process.env.ISSUER}/mcp` } } }, { auth });
const pins = join(folder, 'pins.json');
const registry = createRegistry({ trust: 'pin-on-first-use', pinStore: createPinFile({ path: pins }) });
try {
  await manager.start();
  await registry.attach(manager.server('web')).ready;
  assert.deepEqual((await registry.search({ query: '^mcp__web', useRegex: true })).total, 1);
  assert.equal((await registry.call('mcp__web__greet', { name: 'Bob' })).content[0].text, 'Hello, Bob');
  assert.match(await readFile(pins, 'utf8'), /greet/);
  const store = createFileTokenStore(join(folder, 'tokens.json'));
  await store.write('a', 'b');
  assert.equal(await store.read('a'), 'b');
} finally {
  await registry.close();
  await manager.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
