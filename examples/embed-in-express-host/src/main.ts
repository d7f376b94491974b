import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTools, type Tools } from '@x/mcp';
import { createTokenVerifier } from '@x/mcp-gateway/identity';
import { closeServer, createApp } from './app.js';
import { connect, namesOf, textOf } from './client.js';

const filesServer = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));

// Of a real app they come from its login; here they are written down.
const tokens = { alice: 'token-of-alice-0001', bob: 'token-of-bob-000002' };
const callerOf = createTokenVerifier([
  { token: tokens.alice, id: 'alice', role: 'editor' },
  { token: tokens.bob, id: 'bob', role: 'reader' },
]);

const folder = await mkdtemp(join(tmpdir(), 'embed-in-express-'));
const note = join(folder, 'note.txt');
await writeFile(note, 'Buy milk.\n');
let filesPid: number | undefined;
try {
  // #region tools
  await using tools = await openTools({
    mcpServers: { files: { command: process.execPath, args: [filesServer, folder] } },
    roles: [
      { role: 'reader', allowedTools: ['files.read_*', 'files.list_*', 'greet'] },
      { role: 'editor', allowedTools: ['files', 'greet'] },
    ],
  });
  // #endregion tools
  filesPid = tools.manager.server('files').status.pid;
  const { app, sessions } = createApp({ tools, callerOf });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  try {
    await tellStory(url, tools);
  } finally {
    await sessions.close();
    await closeServer(server);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
assert.throws(() => process.kill(filesPid ?? 0, 0), { code: 'ESRCH' });
console.log(`\nThe app is closed; process ${filesPid} is gone.`);

async function tellStory(url: URL, tools: Tools): Promise<void> {
  console.log('1. Two clients of SDK 1.x, each with a token of its own');
  await using alice = await connect(url, tokens.alice);
  await using bob = await connect(url, tokens.bob);
  console.log(`   alice, an editor, has ${(await namesOf(alice)).length} tools`);
  console.log(`   bob, a reader, has    ${(await namesOf(bob)).length}`);
  assert.ok((await namesOf(alice)).includes('mcp__files__write_file'));
  assert.ok(!(await namesOf(bob)).includes('mcp__files__write_file'));

  console.log("\n2. The app's own tool and the mounted ones, in one listing");
  const said = textOf(await bob.callTool({ name: 'who_am_i' }));
  console.log(`   who_am_i: ${said}`);
  assert.equal(said, 'bob, reader');
  const read = await bob.callTool({ name: 'mcp__files__read_text_file', arguments: { path: note } });
  console.log(`   bob reads: ${JSON.stringify(textOf(read))}`);
  assert.equal(textOf(read), 'Buy milk.\n');

  console.log('\n3. What a role may not use is not there');
  const change = { name: 'mcp__files__write_file', arguments: { path: note, content: 'Buy oats.\n' } };
  await assert.rejects(bob.callTool(change), { code: -32_602 });
  console.log('   bob writes: refused, as a tool that nobody knows');
  await alice.callTool(change);
  assert.equal(await readFile(note, 'utf8'), 'Buy oats.\n');
  console.log('   alice writes: done');

  console.log('\n4. A tool that comes later is announced to open sessions');
  const announced = bob.nextChange();
  tools.add({ name: 'greet', description: 'Says hello.' }, () => 'Hello from a plug-in');
  await announced;
  console.log(`   bob calls it: ${textOf(await bob.callTool({ name: 'greet' }))}`);
  assert.ok((await namesOf(bob)).includes('greet'));

  console.log('\n5. Who has no token, or only the id of a session, gets nothing');
  const stranger = await fetch(url, { method: 'POST' });
  const thief = await fetch(url, {
    headers: { authorization: `Bearer ${tokens.bob}`, 'mcp-session-id': alice.sessionId },
  });
  console.log(`   without a token: ${stranger.status}; with a session of somebody else: ${thief.status}`);
  assert.deepEqual([stranger.status, thief.status], [401, 404]);
}
