// A day with `mcpx` beside its peers, in one run: commands, clients of one gateway on twelve servers, and the servers of three
// editors. Run after a build: node bench/cli.mjs. Linux only.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freePort } from '../scripts/free-port.mjs';
import { commandLines, configsOf, editorsOf, stageWith } from './daily-stage.mjs';
import { interleaved, medianOf, numbersFrom, printConditions, printTable } from './measurement.mjs';
import { dailyPeers, installPeers, versionOf } from './peers.mjs';

const { rounds, gateways, calls, warm, clients } = numbersFrom({
  rounds: 15,
  gateways: 5,
  calls: 1_000,
  warm: 5_000,
  clients: 5,
});
const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const node = process.execPath;
const { folder: peers } = installPeers(dailyPeers, { ignoreScripts: true });
copyFileSync(here('raw-links.mjs'), join(peers, 'raw-links.mjs'));
const { rawEvents, rawSession, rawStdio } = await import(pathToFileURL(join(peers, 'raw-links.mjs')).href);
const { mcpx, mcporter, 'mcp-hub': mcpHub, 'mcp-use': mcpUse } = commandLines(peers);
const stages = [];
const stageOf = (files) => {
  const stage = stageWith(files);
  stages.push(stage);
  return stage;
};

const web = spawn(node, [here('minimal-http-server.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
const [url] = await new Promise((resolve) =>
  createInterface({ input: web.stdout }).once('line', (line) => resolve(/http\S+/.exec(line))),
);
try {
  await compareCommands();
  await compareClients();
  await compareEditors();
  printConditions({
    how: [
      `${rounds} interleaved rounds`,
      `${gateways} gateways one after the other, ${calls} calls of a client of each in turn`,
    ],
    peers: Object.keys(dailyPeers)
      .filter((name) => name !== 'undici')
      .map((name) => `${name} ${versionOf(peers, name)}`),
  });
} finally {
  web.kill();
  for (const stage of stages) {
    await stage.run([mcpx, 'down', '--now']);
    await stage.run([mcporter, 'daemon', 'stop']);
    rmSync(stage.folder, { recursive: true, force: true });
  }
}

/** From the start of a command to its end. What it prints has to hold what is expected. */
async function compareCommands() {
  const [cold, warm] = [stageOf(configsOf), stageOf(configsOf)];
  await warm.run([mcpx, 'up']);
  await warm.run([mcporter, 'daemon', 'start']);
  await warm.run([mcpUse, 'client', 'connect', 'web', url, '--no-oauth']);
  await warm.run([
    mcpUse,
    'client',
    'connect',
    's0',
    '--stdio',
    `${node} ${here('minimal-server.mjs')} ${warm.folder}`,
  ]);
  for (let call = 0; call < 12; call++) await warm.run([mcporter, 'call', `s${call}.echo`, 'text=hello']);
  const commands = {
    'call, no daemon runs': {
      mcpx: [cold, [mcpx, 'call', 's0.echo', 'text=hello'], 'hello'],
      mcporter: [cold, [mcporter, 'call', 's0.echo', 'text=hello'], 'hello'],
      'mcp-use': [warm, [mcpUse, 'client', 's0', 'tools', 'call', 'echo', 'text=hello'], 'hello'],
    },
    'call, the daemon runs': {
      mcpx: [warm, [mcpx, 'call', 's0.echo', 'text=hello'], 'hello'],
      mcporter: [warm, [mcporter, 'call', 's0.echo', 'text=hello'], 'hello'],
    },
    'call of a server by its URL': {
      mcpx: [warm, [mcpx, 'call', url, 'echo', 'text=hello'], 'hello'],
      mcporter: [warm, [mcporter, 'call', '--allow-http', `${url}.echo`, 'text=hello'], 'hello'],
      'mcp-use': [warm, [mcpUse, 'client', 'web', 'tools', 'call', 'echo', 'text=hello'], 'hello'],
    },
    'list of servers': {
      mcpx: [warm, [mcpx, 'list'], 's11'],
      mcporter: [warm, [mcporter, 'list'], 's11'],
      'mcp-use': [warm, [mcpUse, 'client', 'list'], 'web'],
    },
    'tools of one server': {
      mcpx: [warm, [mcpx, 'discover', 's0'], 'echo'],
      mcporter: [warm, [mcporter, 'list', 's0'], 'echo'],
      'mcp-use': [warm, [mcpUse, 'client', 's0', 'tools', 'list'], 'echo'],
    },
    'search of all tools': { mcpx: [warm, [mcpx, 'search', 'echo'], 'mcp__s0__echo'] },
  };
  const flat = Object.entries(commands).flatMap(([what, by]) =>
    Object.entries(by).map(([who, command]) => [`${what}|${who}`, () => timed(...command)]),
  );
  const stopCold = () => cold.run([mcporter, 'daemon', 'stop']);
  const measured = await interleaved({ ...Object.fromEntries(flat), stopCold }, rounds);
  const names = ['mcpx', 'mcporter', 'mcp-use'];
  printTable('From the start of a command to its end, median ms', [
    ['', ...names, 'mcpx ÷ the best peer'],
    ...Object.keys(commands).map((what) => row(what, names, (name) => measured.get(`${what}|${name}`), 0)),
  ]);
  await warm.run([mcporter, 'daemon', 'stop']);
  await warm.run([mcpx, 'down']);
}

async function timed(stage, args, expected) {
  const start = performance.now();
  const text = await stage.run(args);
  const ms = performance.now() - start;
  if (!text.includes(expected)) throw new Error(`${args.join(' ')} did not print ${expected}: ${text}`);
  return ms;
}

/** Medians, and ours in relation to the best of the others. */
function row(what, names, valuesOf, digits) {
  const medians = names.map((name) => valuesOf(name)).map((values) => values && medianOf(values));
  const others = medians.slice(1).filter((value) => value !== undefined);
  const ratio = others.length === 0 ? '–' : (medians[0] / Math.min(...others)).toFixed(2);
  return [what, ...medians.map((value) => value?.toFixed(digits) ?? '–'), ratio];
}

/**
 * Clients that each start or reach one gateway, all on the same twelve servers. Measures several gateways one after the
 * other, because processes of one program differ in speed.
 */
async function compareClients() {
  const measured = [];
  for (let run = 0; run < gateways; run++) measured.push(await measureClients());
  const all = (over, name, of) => measured.flatMap((each) => each[over][name][of]);
  for (const over of ['stdio', 'HTTP']) {
    const names = Object.keys(measured[0][over]);
    const of = (what) => (name) => all(over, name, what);
    printTable(`${clients} clients over ${over} on 12 servers`, [
      ['', ...names, 'mcpx ÷ the best peer'],
      row('second client: from its start to its list of tools, median ms', names, of('listed'), 1),
      row(`a call of the first ${calls}, median ms`, names, of('first'), 2),
      row(`a call after ${warm}, median ms`, names, of('after'), 2),
      row('server processes', names, of('servers'), 0),
      row('memory of an idle serve more than bare Node, MB', names, of('memory'), 1),
    ]);
  }
  const [attached, own] = ['attached', 'own'].map((name) => medianOf(measured.flatMap((each) => each.ways[name])));
  printTable('A call through mcpx serve', [
    ['', 'with the servers of the daemon', 'with --own-servers', 'more'],
    ['a call, median ms', attached.toFixed(2), own.toFixed(2), (attached - own).toFixed(2)],
  ]);
}

async function measureClients() {
  const stage = stageOf(configsOf);
  await stage.run([mcpx, 'up']);
  await stage.run([mcporter, 'daemon', 'start']);
  const { folder: cwd, env } = stage;
  const overStdio = (args) => async () => rawStdio({ command: node, args, cwd, env });
  const [webOfOurs, webOfMcporter, hub] = await Promise.all([
    listening([mcpx, 'serve', '--http', '--port', '0', '--no-token']),
    atPort((port) => [mcporter, 'serve', '--http', String(port)]),
    atPort((port) => [mcpHub, '--port', String(port), '--config', join(cwd, 'hub.json')]),
  ]);
  const overHttp = (gateway) => () => rawSession({ url: gateway.url, headers: {} });
  const stdio = await measure({
    mcpx: { connect: overStdio([mcpx, 'serve']) },
    mcporter: { connect: overStdio([mcporter, 'serve']) },
  });
  const ways = await measureAttached();
  const http = await measure({
    mcpx: { connect: overHttp(webOfOurs), gateway: webOfOurs },
    mcporter: { connect: overHttp(webOfMcporter), gateway: webOfMcporter },
    'mcp-hub': { connect: () => rawEvents({ url: hub.url, headers: {} }), gateway: hub },
  });
  for (const { child } of [webOfOurs, webOfMcporter, hub]) child.kill();
  await stage.run([mcporter, 'daemon', 'stop']);
  await stage.run([mcpx, 'down']);
  return { stdio, HTTP: http, ways };

  async function measure(ways) {
    const names = Object.keys(ways);
    const listed = await interleaved(
      Object.fromEntries(Object.entries(ways).map(([name, { connect }]) => [name, () => listMs(connect)])),
      Math.ceil(rounds / gateways),
    );
    const open = Object.fromEntries(names.map((name) => [name, []]));
    for (let client = 0; client < clients; client++)
      for (const name of names) open[name].push(await opened(ways[name].connect));
    const bare = spawn(node, ['-e', 'console.log(0); setInterval(() => 0, 1e9)'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(bare.stdout, 'data');
    await delay(2_000);
    const empty = memoryMb(bare.pid);
    bare.kill();
    const memory = (name) => memoryMb(ways[name].gateway?.child.pid ?? open[name][1].pid) - empty;
    const first = await callTimes(open);
    await callTimes(open, warm);
    const after = await callTimes(open);
    const measured = names.map((name) => [
      name,
      {
        listed: listed.get(name),
        first: first[name],
        after: after[name],
        servers: [countServers(`${cwd}/${name}`)],
        memory: [memory(name)],
      },
    ]);
    for (const each of Object.values(open).flat()) await each.close();
    return Object.fromEntries(measured);
  }

  /** A call to a server of the daemon, beside one to a server of the command itself. */
  async function measureAttached() {
    const attached = await opened(overStdio([mcpx, 'serve']));
    const own = await opened(overStdio([mcpx, 'serve', '--own-servers', 's0']));
    const times = await callTimes({ attached: [attached], own: [own] });
    for (const each of [attached, own]) await each.close();
    return times;
  }

  /** One that says where it listens. */
  function listening(args) {
    const child = spawn(node, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
    return new Promise((resolve) =>
      createInterface({ input: child.stderr }).on('line', (line) => {
        const found = /http:\/\/\S+\/mcp/.exec(line)?.[0];
        if (found !== undefined) resolve({ child, url: found });
      }),
    );
  }

  /** One that is asked until it answers. */
  async function atPort(argsFor) {
    const port = await freePort();
    const child = spawn(node, argsFor(port), { cwd, env, stdio: 'ignore' });
    const at = `http://127.0.0.1:${port}/mcp`;
    for (;;) {
      if (child.exitCode !== null) throw new Error(`${argsFor(port).join(' ')} has ended`);
      const isThere = await fetch(at, { method: 'OPTIONS' }).then(
        () => true,
        () => false,
      );
      if (isThere) return { child, url: at };
      await delay(100);
    }
  }
}

async function opened(connect) {
  const link = await connect();
  const { tools } = await link.request('tools/list', {});
  const { name } = tools.find((tool) => tool.name.endsWith('echo'));
  return { ...link, call: () => link.request('tools/call', { name, arguments: { text: 'hello' } }) };
}

async function listMs(connect) {
  const start = performance.now();
  const link = await connect();
  const { tools } = await link.request('tools/list', {});
  const ms = performance.now() - start;
  if (tools.length < 36) throw new Error(`only ${tools.length} tools`);
  await link.close();
  return ms;
}

/** The first client of each calls in turn. */
async function callTimes(open, count = calls) {
  const times = Object.fromEntries(Object.keys(open).map((name) => [name, []]));
  for (let call = 0; call < count; call++)
    for (const [name, [client]] of Object.entries(open)) {
      const start = performance.now();
      await client.call();
      times[name].push(performance.now() - start);
    }
  return Object.fromEntries(Object.entries(times).map(([name, each]) => [name, each.slice(count / 10)]));
}

function countServers(mark) {
  const lines = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.trimEnd().endsWith(`minimal-server.mjs ${mark}`)).length;
}

function memoryMb(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024;
}

/** Nothing runs, there is no config but those of the editors, and all that can be used is started. */
async function compareEditors() {
  const ready = { mcpx: /^✓ \S+ is up/gm, mcporter: /^- \S+ \(\d+ tools/gm };
  const tried = (name, args, end) => async () => {
    const stage = stageWith(editorsOf);
    const start = performance.now();
    let [count, lastMs] = [0, 0];
    await stage.run(args, (text) => {
      const found = text.match(ready[name])?.length ?? 0;
      if (found > count) [count, lastMs] = [found, performance.now() - start];
    });
    const endMs = performance.now() - start;
    await stage.run(end);
    rmSync(stage.folder, { recursive: true, force: true });
    return { count, lastMs, endMs };
  };
  const measured = await interleaved(
    {
      mcpx: tried('mcpx', [mcpx, 'up'], [mcpx, 'down', '--now']),
      mcporter: tried('mcporter', [mcporter, 'list'], [mcporter, 'daemon', 'stop']),
    },
    Math.ceil(rounds / 3),
  );
  const names = [...measured.keys()];
  const of = (field) => (name) => measured.get(name).map((each) => each[field]);
  printTable('Three editors with 12 servers, no config of its own', [
    ['', ...names, 'mcpx ÷ the best peer'],
    row('servers that can be used', names, of('count'), 0),
    row('from the start of the command to the last of them, median ms', names, of('lastMs'), 0),
    row('to the end of the command, with the last failure, median ms', names, of('endMs'), 0),
  ]);
}
