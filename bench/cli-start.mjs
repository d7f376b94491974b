// How long somebody waits who types a command: `mcpx` beside `node -e 0` and the command lines of other tools, each with its
// daemon running if it has one. Run after a build: node bench/cli-start.mjs
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { interleaved, medianOf, numbersFrom, printConditions, printTable, ratioOf, spreadOf } from './measurement.mjs';
import { commandPeers, installPeers, versionOf } from './peers.mjs';
import { childrenTime, meanOf } from './process-time.mjs';

const run = promisify(execFile);
const { rounds } = numbersFrom({ rounds: 30 });
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const mcpx = join(process.env.BENCH_PACKAGES ?? here('../packages'), 'mcp-cli/dist/bin.js');
const { folder: peers } = installPeers(commandPeers);
const program = (name) => {
  const { bin } = JSON.parse(readFileSync(join(peers, 'node_modules', name, 'package.json'), 'utf8'));
  return join(peers, 'node_modules', name, typeof bin === 'string' ? bin : Object.values(bin)[0]);
};

const stage = mkdtempSync(join(tmpdir(), 'bench-cli-'));
const home = join(stage, 'home');
const env = { PATH: process.env.PATH, MCPX_TRUST: '1', HOME: home, XDG_RUNTIME_DIR: join(stage, 'run') };
const server = { command: process.execPath, args: [here('minimal-server.mjs')] };
mkdirSync(home);
mkdirSync(env.XDG_RUNTIME_DIR, { mode: 0o700 });
mkdirSync(join(stage, 'config'));
writeFileSync(
  join(stage, 'mcp_servers.yaml'),
  JSON.stringify({ mcp_servers: { echo: { ...server, auto_start: true } } }),
);
writeFileSync(
  join(stage, 'config', 'mcporter.json'),
  JSON.stringify({ mcpServers: { echo: { ...server, lifecycle: 'keep-alive' } }, imports: [] }),
);

/** What is run, and what its output has to hold: two sides that came to different ends are not compared. */
const commands = {
  'node -e 0': [['-e', '0'], ''],
  'mcpx --version': [[mcpx, '--version'], '.'],
  'mcpx --help': [[mcpx, '--help'], 'Usage: mcpx'],
  'mcpx daemon status': [[mcpx, 'daemon', 'status'], 'runs as process'],
  'mcpx status': [[mcpx, 'status'], 'echo'],
  'mcpx search': [[mcpx, 'search', 'echo'], 'mcp__echo__echo'],
  'mcpx call': [[mcpx, 'call', 'mcp__echo__echo', '{"text":"hello"}'], 'hello'],
  'mcpx start, Tab': [[mcpx, '__complete', '--', 'start', ''], 'echo'],
  'mcporter --version': [[program('mcporter'), '--version'], '.'],
  'mcporter --help': [[program('mcporter'), '--help'], 'Usage'],
  'mcporter list': [[program('mcporter'), 'list'], 'echo'],
  'mcporter call': [[program('mcporter'), 'call', 'echo.echo', 'text=hello'], 'hello'],
  'mcp-hub --help': [[program('mcp-hub'), '--help'], 'port'],
  'Inspector tools/list': [
    [program('@modelcontextprotocol/inspector'), '--cli', server.command, ...server.args, '--method', 'tools/list'],
    'echo',
  ],
};

const daemons = [mcpx, program('mcporter')];
const daemonWords = [
  { start: ['up'], stop: ['down'] },
  { start: ['daemon', 'start'], stop: ['daemon', 'stop'] },
];
const control = (daemon, what) =>
  execFileSync(process.execPath, [daemon, ...daemonWords[daemons.indexOf(daemon)][what]], {
    cwd: stage,
    env,
    stdio: 'ignore',
    timeout: 60_000,
  });

try {
  for (const daemon of daemons) control(daemon, 'start');
  const contenders = Object.fromEntries(
    Object.entries(commands).map(([name, [args, expected]]) => [name, () => timed(name, args, expected)]),
  );
  const measured = await interleaved(contenders, rounds);
  const nothing = measured.get('node -e 0');
  const walls = (values) => values.map(({ wall }) => wall);
  const row = ([name, values]) => [
    name,
    medianOf(walls(values)).toFixed(1),
    spreadOf(walls(values)),
    ratioOf(walls(values), walls(nothing)).toFixed(2),
    meanOf(values).toFixed(1),
    (meanOf(values) / meanOf(nothing)).toFixed(2),
  ];
  const head = ['', 'median ms', 'middle half', 'ratio', 'processor ms', 'ratio of processor time'];
  printTable('From the start of a command to its end', [head, ...Array.from(measured, row)]);
  printConditions({
    how: [`${rounds} interleaved rounds of fresh processes`],
    peers: Object.keys(commandPeers).map((name) => `${name} ${versionOf(peers, name)}`),
  });
} finally {
  const stopped = await Promise.allSettled(daemons.map(async (daemon) => control(daemon, 'stop')));
  rmSync(stage, { recursive: true, force: true });
  for (const { reason } of stopped) if (reason) console.error(reason.message);
}

async function timed(name, args, expected) {
  const before = childrenTime();
  const start = performance.now();
  const { stdout, stderr } = await run(process.execPath, args, { cwd: stage, env, timeout: 60_000 });
  const wall = performance.now() - start;
  const answer = stdout + stderr;
  if (!answer.includes(expected)) throw new Error(`${name} did not answer with ${expected}: ${answer}`);
  return { wall, cpu: childrenTime() - before };
}
