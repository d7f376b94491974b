// Promise: a daemon that lives through whatever happens to it holds no more afterwards than before. For --minutes, faults
// are drawn by chance: servers and commands are killed, frozen and flooded, calls are given up, the config is changed and
// read again, secrets are exchanged. At quiet moments it is counted what the daemon's two processes hold. Linux only.
// Ends with 1 when more is held than the engine's own housekeeping explains, or anything is left after `mcpx down`.
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { machineFacts, table } from './measurement.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    samples: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const run = promisify(execFile);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const mcpx = join(process.env.BENCH_PACKAGES ?? here('../packages'), 'mcp-cli/dist/bin.js');
const testServer = (name) => ({ command: process.execPath, args: [here(`../packages/test-servers/dist/${name}.js`)] });
/** What may be held at the end that was not held once it was warm. */
const allowed = { heapKb: 2_048, openFiles: 0, timers: 4, resources: 0, children: 0 };

const stage = mkdtempSync(join(tmpdir(), 'soak-daemon-'));
const probes = join(stage, 'probes');
const mark = `SOAK=${stage}`;
for (const name of ['home', 'run', 'probes']) mkdirSync(join(stage, name), { mode: 0o700 });
const env = {
  PATH: process.env.PATH,
  MCPX_TRUST: '1',
  HOME: join(stage, 'home'),
  XDG_RUNTIME_DIR: join(stage, 'run'),
  SOAK: stage,
  SOAK_PROBES: probes,
  NODE_OPTIONS: `--import=${here('daemon-probe.mjs')}`,
};
let secrets = 0;
const writeConfig = () => {
  secrets += 1;
  const common = { auto_start: true, env: { SOAK: stage }, max_restart_attempts: 10 };
  const servers = {
    steady: { ...testServer('echo'), tags: [`version-${secrets}`] },
    other: { ...testServer('echo'), env: { SOAK: stage, TOKEN: `secret-of-version-${secrets}` } },
    slow: testServer('slow'),
    noisy: testServer('floods-stderr'),
    family: testServer('leaves-grandchild'),
    stubborn: testServer('ignores-sigterm'),
  };
  const text = JSON.stringify({
    mcp_servers: Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, { ...common, ...server }])),
    mcp_settings: { shutdown_timeout_seconds: 1 },
  });
  writeFileSync(join(stage, 'mcp_servers.yaml'), text);
};

/** The same faults in the same order for the same seed, as far as processes take turns alike. */
let state = Number(values.seed);
const chance = () => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return state / 2_147_483_648;
};
const oneOf = (list) => list[Math.floor(chance() * list.length)];
const cli = (...words) => run(process.execPath, [mcpx, ...words], { cwd: stage, env: { ...env, NODE_OPTIONS: '' } });
const daemonState = () => {
  const [id] = readdirSync(join(stage, 'run', 'mcpx'));
  return JSON.parse(readFileSync(join(stage, 'run', 'mcpx', id, 'state.json'), 'utf8'));
};
const pidOf = async (server) =>
  JSON.parse((await cli('status', '--json')).stdout).servers.find((row) => row.name === server)?.pid;
const signal = (pid, name) => {
  try {
    if (pid) process.kill(pid, name);
  } catch {
    // It has gone by itself.
  }
};

const faults = {
  'a call': () => cli('call', 'mcp__steady__echo', '{"text":"hello"}'),
  'many calls': () => Promise.all(Array.from({ length: 6 }, () => cli('call', 'mcp__other__echo', '{"text":"hello"}'))),
  'a search': () => cli('search', 'echo'),
  'a call that is given up': () => killedInTheMiddle('call', 'mcp__slow__wait', '{"ms":60000}'),
  'a log that is not followed any more': () => killedInTheMiddle('logs', 'noisy', '--follow'),
  'a watcher that is killed': () => killedInTheMiddle('status', '--watch'),
  'a server that is killed': async () =>
    signal(await pidOf(oneOf(['steady', 'other', 'slow', 'noisy', 'family'])), 'SIGKILL'),
  'a server that is frozen for a while': async () => {
    const pid = await pidOf('steady');
    signal(pid, 'SIGSTOP');
    await pause(300);
    signal(pid, 'SIGCONT');
  },
  'a restart': () => cli('restart', oneOf(['steady', 'other', 'noisy', 'family'])),
  'a stop and a start': async () => {
    const name = oneOf(['steady', 'noisy', 'stubborn']);
    await cli('stop', name);
    await cli('start', name);
  },
  'another config': async () => {
    writeConfig();
    await cli('daemon', 'reload');
  },
  'a config with errors': async () => {
    writeFileSync(join(stage, 'mcp_servers.yaml'), 'mcp_servers: 7\n');
    await cli('daemon', 'reload').catch(() => undefined);
    writeConfig();
  },
  'a hangup': async () => {
    writeConfig();
    signal(daemonState().parent.pid, 'SIGHUP');
  },
};
const done = Object.fromEntries(Object.keys(faults).map((name) => [name, 0]));
const failures = {};
const rows = [];
const from = performance.now();
const endAt = from + Number(values.minutes) * 60_000;

try {
  writeConfig();
  await run(process.execPath, [mcpx, 'up'], { cwd: stage, env });
  for (const fault of Object.values(faults)) await fault().catch(() => undefined); // what is made once and kept
  await sample();
  const between = (endAt - performance.now()) / Number(values.samples);
  let sampleAt = performance.now() + between;
  while (performance.now() < endAt) {
    const name = oneOf(Object.keys(faults));
    done[name] += 1;
    await faults[name]().catch((error) => {
      failures[name] = [...(failures[name] ?? []), String(error.stderr ?? error).split('\n')[0]];
    });
    if (performance.now() < sampleAt) continue;
    sampleAt = performance.now() + between;
    await sample();
  }
  report();
  await cli('down');
} finally {
  await pause(3_000);
  const left = processesWith(mark);
  for (const pid of left) signal(pid, 'SIGKILL');
  console.log(`Processes left after "mcpx down": ${left.length}.`);
  if (left.length > 0) process.exitCode = 1;
  rmSync(stage, { recursive: true, force: true });
}

async function killedInTheMiddle(...words) {
  const child = spawn(process.execPath, [mcpx, ...words], {
    cwd: stage,
    env: { ...env, NODE_OPTIONS: '' },
    stdio: 'ignore',
  });
  await pause(150 + 300 * chance());
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
}

/** When every server runs again and nobody is connected. */
async function sample() {
  writeConfig();
  await cli('daemon', 'reload');
  await cli('start', 'steady', 'other', 'slow', 'noisy', 'family', 'stubborn').catch(() => undefined);
  await pause(6_000); // the processes of what was given up are gone, and what is waited for in the background is over
  const { parent, phase } = daemonState();
  const [ofParent, ofWorker] = await Promise.all([factsOf(parent.pid), factsOf(phase.worker.pid)]);
  rows.push({ seconds: Math.round((performance.now() - from) / 1_000), worker: phase.worker.pid, ofParent, ofWorker });
  console.error(JSON.stringify(rows.at(-1)));
}

async function factsOf(pid) {
  const file = join(probes, `${pid}.json`);
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (let tries = 0; tries < 200; tries++) {
    await pause(25);
    try {
      const { heapUsed, rss, timers, resources } = JSON.parse(readFileSync(file, 'utf8'));
      const openFiles = readdirSync(`/proc/${pid}/fd`).length;
      const [heapKb, rssKb] = [heapUsed, rss].map((bytes) => Math.round(bytes / 1_024));
      return { heapKb, rssKb, openFiles, timers, resources, children: childrenOf(pid) };
    } catch {
      // Not written yet.
    }
  }
  throw new Error(`Process ${pid} does not say what it holds`);
}

function childrenOf(pid) {
  return readdirSync(`/proc/${pid}/task`)
    .map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).length)
    .reduce((sum, count) => sum + count, 0);
}

function processesWith(entry) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(entry);
      } catch {
        return false;
      }
    })
    .map(Number);
}

function report() {
  const kinds = Object.keys(allowed);
  const cells = (facts) => [...kinds, 'rssKb'].map((kind) => facts[kind]);
  const head = (whose) => [...kinds, 'rssKb'].map((kind) => `${whose} ${kind}`);
  const lines = rows.map(({ seconds, ofParent, ofWorker }) => [seconds, ...cells(ofWorker), ...cells(ofParent)]);
  console.log(table([['s', ...head('worker'), ...head('parent')], ...lines]));
  console.log(
    `\nSeed ${values.seed}. ${Object.entries(done)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')}.`,
  );
  for (const [name, errors] of Object.entries(failures))
    console.log(`failed: ${name} ${errors.length}, such as: ${errors[0]}`);
  // The first quarter is left to the engine, which compiles what it finds to be used much.
  const warm = rows[Math.floor(rows.length / 4)];
  const last = rows.at(-1);
  if (warm.worker !== last.worker) {
    console.log('The worker is another one: it has crashed.');
    process.exitCode = 1;
  }
  for (const whose of ['ofWorker', 'ofParent']) {
    for (const kind of kinds) {
      const growth = last[whose][kind] - warm[whose][kind];
      if (growth <= allowed[kind]) continue;
      console.log(`${whose}: ${kind} grew by ${growth}, allowed ${allowed[kind]}.`);
      process.exitCode = 1;
    }
  }
  console.log(`${machineFacts()}.`);
}
