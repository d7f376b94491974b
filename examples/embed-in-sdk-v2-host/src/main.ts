import { strict as assert } from 'node:assert';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTokenVerifier } from '@x/mcp-gateway/identity';
import { connect } from './client.js';
import { openHost } from './host.js';
import { createNotesServer } from './notes-server.js';

// Of a real app they come from its login and its user directory; here they are written down.
const tokens = { alice: 'token-of-alice-0001', bob: 'token-of-bob-000002' };
const roles = new Map([
  ['alice', 'writer'],
  ['bob', 'reader'],
]);
const ownerOf = createTokenVerifier([
  { token: tokens.alice, id: 'alice' },
  { token: tokens.bob, id: 'bob' },
]);

function verifyToken(token: string) {
  const id = ownerOf(token)?.id;
  const role = id === undefined ? undefined : roles.get(id);
  return id === undefined || role === undefined ? undefined : { id, role };
}

const folder = await mkdtemp(join(tmpdir(), 'embed-in-sdk-v2-'));
const notes = createNotesServer();
let memoryPid: number | undefined;
try {
  await using host = await openHost({ notes, folder, verifyToken });
  memoryPid = host.tools.manager.server('memory').status.pid;
  await tellStory(host.url);
} finally {
  await rm(folder, { recursive: true, force: true });
}
assert.throws(() => process.kill(memoryPid ?? 0, 0), { code: 'ESRCH' });
console.log(`\nClosed; process ${memoryPid} is gone.`);

async function tellStory(url: URL): Promise<void> {
  console.log('1. One address, clients of two eras');
  await using alice = await connect(url, tokens.alice, 'modern');
  await using bob = await connect(url, tokens.bob, 'legacy');
  console.log(`   alice, a writer: revision ${alice.revision}, ${(await alice.names()).length} tools`);
  console.log(`   bob, a reader:   revision ${bob.revision}, ${(await bob.names()).length} tools`);
  assert.deepEqual(await bob.names(), [
    'mcp__memory__read_graph',
    'mcp__memory__search_nodes',
    'mcp__notes__list_notes',
    'search_mcp_tools',
  ]);

  console.log("\n2. The app's own McpServer, and a real server beside it");
  console.log(`   alice adds a note: ${await alice.call('mcp__notes__add_note', { text: 'Buy milk' })}`);
  const entity = { name: 'milk', entityType: 'food', observations: ['is bought on Mondays'] };
  await alice.call('mcp__memory__create_entities', { entities: [entity] });
  assert.equal(await bob.call('mcp__notes__list_notes'), 'Buy milk');
  assert.match(await bob.call('mcp__memory__search_nodes', { query: 'milk' }), /Mondays/);
  console.log('   bob reads both');

  console.log('\n3. A role counts from the next request on');
  await assert.rejects(bob.call('mcp__notes__add_note', { text: 'Buy oats' }), { code: -32_602 });
  console.log('   bob adds a note: refused, as a tool that nobody knows');
  roles.set('bob', 'writer');
  console.log(`   bob becomes a writer, and adds it: ${await bob.call('mcp__notes__add_note', { text: 'Buy oats' })}`);
  assert.equal(await alice.call('mcp__notes__list_notes'), 'Buy milk\nBuy oats');
  assert.ok(!(await bob.names()).some((name) => name.includes('delete')), 'what is denied is denied to writers, too');

  console.log("\n4. A tool that the app's server gets later is announced to its clients");
  const announced = alice.nextChange();
  notes.registerTool('count_notes', { description: 'Says how many notes there are.' }, () => ({
    content: [{ type: 'text', text: 'two' }],
  }));
  await announced;
  console.log(`   alice calls it: ${await alice.call('mcp__notes__count_notes')}`);

  console.log('\n5. Without a token there is nothing');
  const { status } = await fetch(url, { method: 'POST' });
  console.log(`   status ${status}`);
  assert.equal(status, 401);
}
