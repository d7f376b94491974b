import { strict as assert } from 'node:assert';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTools, type Tools } from '@x/mcp';
import { gatewayCapabilities } from '@x/mcp-gateway';
import { createAuditLog } from '@x/mcp-registry/node';
import { connectLegacy, connectModern, type TeamClient } from './team-clients.js';
import { openGateway } from './team-gateway.js';

const config = fileURLToPath(new URL('../config', import.meta.url));
const folder = await realpath(await mkdtemp(join(tmpdir(), 'team-gateway-')));
try {
  await tellStory(join(folder, 'plan.txt'), join(folder, 'audit.jsonl'));
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function tellStory(plan: string, auditFile: string): Promise<void> {
  process.env.TEAM_FOLDER = folder;
  await using log = createAuditLog({ path: auditFile });
  // #region tools
  await using tools = await openTools({
    config,
    manager: { capabilities: gatewayCapabilities },
    registry: { audit: log.record },
  });
  // #endregion tools

  console.log('\n1. One gateway, two people');
  const tokens = { ada: randomBytes(24).toString('base64url'), bob: randomBytes(24).toString('base64url') };
  const members = [
    { id: 'ada', role: 'implementation', token: tokens.ada },
    { id: 'bob', role: 'review', token: tokens.bob },
  ];
  await using gateway = await openGateway({ tools, members });
  await using ada = await connectModern(gateway.url, tokens.ada);
  await using bob = await connectLegacy(gateway.url, tokens.bob);
  for (const [name, client] of Object.entries({ ada, bob })) {
    const { length } = await client.toolNames();
    console.log(`   ${name} speaks ${client.revision} and has ${length} tools`);
  }
  await assert.rejects(connectLegacy(gateway.url, 'a-token-of-a-stranger'), /token/i);
  console.log('   a stranger is sent away');

  console.log('\n2. What Ada writes Bob can read, and not write');
  await ada.call('mcp__filesystem__write_file', { path: plan, content: 'Ship on Friday.' });
  assert.equal(await bob.call('mcp__filesystem__read_text_file', { path: plan }), 'Ship on Friday.');
  const refused = bob.call('mcp__filesystem__write_file', { path: plan, content: 'Ship today.' });
  await assert.rejects(refused, ({ message }: Error) => {
    console.log(`   bob is told: ${message}`);
    return message.includes('mcp__filesystem__write_file');
  });

  console.log('\n3. A server is killed while both work');
  await killInTheMiddle(tools, { ada, bob, plan });

  console.log('\n4. Who did what');
  await log.flush();
  await tellAudit(auditFile);
}

interface Work {
  readonly ada: TeamClient;
  readonly bob: TeamClient;
  readonly plan: string;
}

async function killInTheMiddle({ manager }: Tools, { ada, bob, plan }: Work): Promise<void> {
  const filesystem = manager.server('filesystem');
  const session = bob.sessionId;
  assert.ok(session !== undefined);
  let hasFallen = (): void => undefined;
  const fallen = new Promise<void>((resolve) => {
    hasFallen = resolve;
  });
  using _states = manager.events.on('server-state', ({ state }) => {
    if (state.phase === 'backoff') hasFallen();
  });
  process.kill(filesystem.status.pid ?? assert.fail(), 'SIGKILL');
  await fallen;
  console.log(`   filesystem is ${filesystem.state}; calls to it wait, and memory answers as always`);

  const [read, noted, seen] = await Promise.all([
    bob.call('mcp__filesystem__read_text_file', { path: plan }),
    ada.call('mcp__memory__create_entities', {
      entities: [{ name: 'plan', entityType: 'file', observations: ['Friday'] }],
    }),
    ada.call('mcp__filesystem__read_text_file', { path: plan }),
  ]);
  assert.deepEqual([read, seen], ['Ship on Friday.', 'Ship on Friday.']);
  assert.match(noted, /Friday/);
  assert.match(await bob.call('mcp__memory__read_graph'), /Friday/);
  assert.equal(bob.sessionId, session);
  await Promise.all(manager.servers().map((server) => server.checkHealth()));
  for (const { name, state, health, restarts } of manager.status()) {
    console.log(`   ${name} is ${state} and ${health}; restarts: ${restarts}`);
    assert.equal(health, 'healthy');
  }
  assert.equal(filesystem.status.restarts, 1);
  console.log("   both have their answers, and Bob's session is the one he began with");
}

async function tellAudit(file: string): Promise<void> {
  const events = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const calls = events.filter(({ action, outcome }) => action === 'call' && outcome !== 'started');
  const lines = calls.map(
    ({ principal, role, name, decision, outcome = '' }) => `${principal} (${role}) ${name} ${decision} ${outcome}`,
  );
  for (const line of lines) console.log(`   ${line}`);
  assert.ok(lines.includes('bob (review) mcp__filesystem__write_file denied '));
  assert.ok(lines.includes('ada (implementation) mcp__filesystem__write_file allowed ok'));
}
