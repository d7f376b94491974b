// Promise: a tool that tools.yaml takes from a role is gone within a second: from a view in an app, from a session of the
// gateway, and for another node, which a daemon answers. All three follow the same write. Run after a build:
// node bench/rule-changes.mjs [--rounds 30]
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { natsVersions, startNats } from './fleet-nats.mjs';
import { medianOf, numbersFrom, printConditions, printTable, spreadOf } from './measurement.mjs';
import { packageEntry, packagePath } from './own-packages.mjs';
import { connectServed } from './served-client.mjs';

const { rounds } = numbersFrom({ rounds: 30 });
const { watchConfig } = await import(packageEntry('mcp-config-schema', 'load'));
const { createRegistry } = await import(packageEntry('mcp-registry'));
const { createFleet } = await import(packageEntry('mcp-fleet'));
const { openNatsBus } = await import(packageEntry('mcp-fleet', 'nats'));

const mcpx = packagePath('mcp-cli', 'bin.js');
const stage = mkdtempSync(join(tmpdir(), 'bench-rules-'));
const env = { PATH: process.env.PATH, MCPX_TRUST: '1', HOME: stage, XDG_RUNTIME_DIR: join(stage, 'run') };
const server = { command: process.execPath, args: [fileURLToPath(new URL('minimal-server.mjs', import.meta.url))] };
mkdirSync(env.XDG_RUNTIME_DIR, { mode: 0o700 });
writeFileSync(
  join(stage, 'mcp_servers.yaml'),
  JSON.stringify({ mcp_servers: { echo: { ...server, auto_start: true } } }),
);
const allow = (tool) => {
  const tools = { app: { role_restrictions: { review: { allowed_tools: [`echo.${tool}`] } } } };
  writeFileSync(join(stage, 'tools.yaml'), JSON.stringify({ tools }));
};
const run = (...words) => execFileSync(process.execPath, [mcpx, ...words], { cwd: stage, env, encoding: 'utf8' });

allow('echo');
const nats = await startNats();
const ending = [() => nats.stop(), () => rmSync(stage, { recursive: true, force: true })];
try {
  run('up');
  ending.unshift(() => run('down'));
  run('fleet', 'join', nats.url, '--node', 'owner');
  const ways = {
    'a view in an app that follows its files': await inApp(),
    'a session of `mcpx serve`': await inGateway(),
    'a call of another node, refused by the owner': await inFleet(),
  };
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    allow('echo');
    await Promise.all(Object.values(ways).map((isThere) => until(isThere, true)));
    const writtenAt = performance.now();
    allow('other');
    await Promise.all(
      Object.entries(ways).map(async ([name, isThere]) => {
        await until(isThere, false);
        if (round > 0) times[name].push(performance.now() - writtenAt);
      }),
    );
  }
  const row = ([name, values]) => [
    name,
    medianOf(values).toFixed(0),
    spreadOf(values, 0),
    Math.max(...values).toFixed(0),
  ];
  printTable('From the write of tools.yaml until the tool is gone, ms', [
    ['', 'median', 'middle half', 'longest'],
    ...Object.entries(times).map(row),
  ]);
  printConditions({
    how: [`${rounds} writes, each followed by all three`, 'the call of the other node is decided by a daemon'],
    peers: natsVersions(),
  });
} finally {
  for (const end of ending) await end();
}

function hasTool(tools) {
  return tools.some(({ name }) => name === 'mcp__echo__echo');
}

async function until(isThere, wanted) {
  const deadline = performance.now() + 20_000;
  while ((await isThere()) !== wanted) {
    if (performance.now() > deadline)
      throw new Error(`The tool is still ${wanted ? 'away' : 'there'} after 20 seconds`);
    await delay(2);
  }
}

async function inApp() {
  const ended = new AbortController();
  ending.unshift(() => ended.abort());
  const registry = createRegistry({ roles: [] });
  ending.unshift(() => registry.close());
  registry.attach({
    name: 'echo',
    listTools: () => [{ name: 'echo', inputSchema: { type: 'object' } }],
    callTool: async () => ({ content: [] }),
  });
  const files = watchConfig({ cwd: stage, env, signal: ended.signal });
  void (async () => {
    for await (const { config } of files) if (config) registry.update({ roles: config.roles });
  })().catch((error) => {
    if (!ended.signal.aborted) throw error;
  });
  return () => hasTool(registry.view({ role: 'review' }).list());
}

async function inGateway() {
  const client = await connectServed(mcpx, ['--own-servers', '--role', 'review'], { cwd: stage, env });
  ending.unshift(client.close);
  return async () => hasTool((await client.request('tools/list', {})).result.tools);
}

async function inFleet() {
  const bus = await openNatsBus({ servers: nats.url, node: 'edge' });
  const fleet = createFleet({ bus, node: 'edge' });
  ending.unshift(async () => {
    await fleet.close();
    await bus.close();
  });
  const find = () => fleet.sources().find(({ name }) => name === 'echo@owner');
  await until(() => find() !== undefined, true);
  return async () => {
    const call = find().callTool('echo', { text: 'x' }, { caller: { role: 'review' }, timeoutMs: 5_000 });
    return await call.then(
      () => true,
      (error) => {
        if (error.code !== 'refused') throw error;
        return false;
      },
    );
  };
}
