import { strict as assert } from 'node:assert';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClientManager, createClientManager } from '@x/mcp-client-manager';
import { loadConfig } from '@x/mcp-config-schema/load';
import { createConstantSurface, createRegistry, type Registry, type RegistryView } from '@x/mcp-registry';
import { createAuditLog } from '@x/mcp-registry/node';
import { readChange, waysToWrite, writeChange } from './project.js';
import { pursue, review } from './review-bot.js';

const config = fileURLToPath(new URL('../config', import.meta.url));
const folder = await realpath(await mkdtemp(join(tmpdir(), 'review-bot-')));
try {
  await tellStory(join(folder, 'change'), join(folder, 'audit.jsonl'));
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function tellStory(change: string, auditFile: string): Promise<void> {
  await writeChange(change);
  const { servers, roles } = await loadConfig({ files: [config], env: { ...process.env, REVIEW_FOLDER: folder } });
  await using manager = createClientManager({ servers });

  // #region views
  await using log = createAuditLog({ path: auditFile });
  await using registry = createRegistry({ roles, audit: log.record });
  for (const server of manager.servers()) registry.attach(server);
  await manager.start();

  const bot = registry.view({ role: 'review', principal: 'review-bot' });
  const engineer = registry.view({ role: 'implementation', principal: 'ada' });
  // #endregion views

  console.log('\n1. One set of servers, two roles');
  console.log(`   review has ${bot.list().length} tools, implementation ${engineer.list().length}`);

  console.log('\n2. The bot reviews the change');
  const remarks = await review(bot, change);
  for (const remark of remarks) console.log(`   ${remark}`);
  assert.deepEqual(remarks, ['cart.js:2 == converts; use ===', 'discount.js:2 eval runs whatever it is given']);

  console.log('\n3. The bot is talked into writing, and tries everything there is');
  await tryEverything(bot, { registry, manager, change });

  console.log('\n4. An engineer may: the same servers, the same call');
  const [[tool, args] = assert.fail()] = Object.entries(waysToWrite(change));
  const written = await engineer.call(tool, args);
  assert.notEqual(written.isError, true);
  assert.deepEqual(await review(bot, change), ['cart.js:2 == converts; use ===']);
  console.log('   discount.js is repaired, and the next review has one remark less');

  console.log('\n5. The audit log tells the two apart, which the bot cannot');
  await log.flush();
  const lines = (await readFile(auditFile, 'utf8')).trim().split('\n');
  const denied = lines.filter((line) => line.includes('"action":"call"') && line.includes('"decision":"denied"'));
  console.log(denied[0]);
  console.log(`   … and ${denied.length - 1} more lines like it. Why, for operators:`);
  console.log(`   ${(await registry.explain('review', 'filesystem.write_file')).message}`);
  assert.ok(denied.length >= 2 * Object.keys(waysToWrite(change)).length);
}

interface Stage {
  readonly registry: Registry;
  readonly manager: ClientManager;
  readonly change: string;
}

/** Each tool that the role may not use is pursued, and so is the same name where there is no such tool at all. */
async function tryEverything(bot: RegistryView, { registry, manager, change }: Stage): Promise<void> {
  const before = await readChange(change);
  await using smaller = await withoutForbiddenTools(bot, manager);
  const elsewhere = smaller.view({ role: 'review' });
  const allowed = new Set(bot.list().map(({ name }) => name));
  const forbidden = registry.list().filter(({ name }) => !allowed.has(name));
  const ways = waysToWrite(change);
  assert.ok(Object.keys(ways).every((way) => forbidden.some(({ name }) => name === way)));

  for (const { name } of forbidden) {
    const args = ways[name] ?? {};
    const seen = await pursue(bot, name, args);
    assert.deepEqual(seen, await pursue(elsewhere, name, args), `${name} shows itself`);
    const indirect = await createConstantSurface(bot).call('call_mcp_tool', { name, arguments: args });
    assert.equal(indirect.isError, true);
    if (name in ways) console.log(`   ${seen.refusal}`);
  }
  assert.deepEqual(await readChange(change), before);
  assert.deepEqual((await bot.call('mcp__memory__read_graph')).structuredContent, { entities: [], relations: [] });
  console.log(`   ${forbidden.length} tools, each answered exactly as where no such tool exists; nothing has changed`);
}

/** A registry in which the tools that the bot may not use were never there. */
async function withoutForbiddenTools(bot: RegistryView, manager: ClientManager): Promise<Registry> {
  const registry = createRegistry({ roles: [{ role: 'review', allowedTools: ['filesystem', 'memory'] }] });
  for (const server of manager.servers()) {
    const shown = new Set(bot.list().flatMap((tool) => (tool.server === server.name ? tool.tool : [])));
    const attachment = registry.attach({
      name: server.name,
      listTools: () => server.listTools().filter(({ name }) => shown.has(name)),
      callTool: (tool, args, options) => server.callTool(tool, args, options),
    });
    await attachment.ready;
  }
  return registry;
}
