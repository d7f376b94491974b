// Five clients of `mcpx serve` on twelve servers: server processes, memory of an idle command beside a bare Node process,
// the second client's first list, and what a call costs beside `--own-servers`. Linux only.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { medianOf } from './measurement.mjs';
import { packagePath } from './own-packages.mjs';
import { connectServed } from './served-client.mjs';

const [clients, servers, calls] = [5, 12, 1_000];
const stage = mkdtempSync(join(tmpdir(), 'bench-attach-'));
const mcpx = packagePath('mcp-cli', 'bin.js');
const server = fileURLToPath(new URL('minimal-server.mjs', import.meta.url));
const home = { HOME: stage, XDG_DATA_HOME: stage, XDG_RUNTIME_DIR: stage, XDG_CONFIG_HOME: stage };
const env = { PATH: process.env.PATH, MCPX_TRUST: '1', ...home };
const entry = { command: process.execPath, args: [server, stage], auto_start: true };
const named = Object.fromEntries(Array.from({ length: servers }, (_, number) => [`s${number}`, entry]));
writeFileSync(join(stage, 'mcp_servers.yaml'), JSON.stringify({ mcp_servers: named }));

/** `mcpx serve` with a client that has listed the tools. */
async function connect(options = []) {
  const startedAt = performance.now();
  const { pid, request, close } = await connectServed(mcpx, options, { cwd: stage, env });
  const { tools } = (await request('tools/list', {})).result;
  const listMs = performance.now() - startedAt;
  return { pid, tools, listMs, request, close };
}

/** Each client calls in turn, so that both have the same machine. */
async function callMs(ways) {
  const times = ways.map(() => []);
  for (let call = 0; call < calls; call++) {
    for (const [index, { tools, request }] of ways.entries()) {
      const { name } = tools.find((tool) => tool.name.startsWith('mcp__'));
      const startedAt = performance.now();
      await request('tools/call', { name, arguments: {} });
      times[index].push(performance.now() - startedAt);
    }
  }
  return times.map((each) => medianOf(each.slice(calls / 10)));
}

const memoryMb = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024;
const countServers = () =>
  execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(`${server} ${stage}`)).length;

try {
  await (await connect()).close(); // starts the daemon
  const open = [];
  for (let client = 0; client < clients; client++) open.push(await connect());
  const bare = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e9)'], { stdio: 'ignore' });
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const processes = countServers();
  const [idle, empty] = [memoryMb(open[1].pid), memoryMb(bare.pid)];
  bare.kill();
  const own = await connect(['--own-servers', 's0']);
  const [attachedMs, ownMs] = await callMs([open[0], own]);
  await Promise.all([...open, own].map(({ close }) => close()));
  console.log(`## mcpx serve by the daemon: ${clients} clients, ${servers} servers\n`);
  console.log('| | measured |\n| --- | --- |');
  console.log(`| server processes | ${processes} |`);
  console.log(`| memory of an idle command more than bare Node, MB | ${(idle - empty).toFixed(1)} |`);
  console.log(
    `| first list of a later client after its start, ms | ${medianOf(open.map(({ listMs }) => listMs)).toFixed(0)} |`,
  );
  console.log(`| a call, ms | ${attachedMs.toFixed(2)} |`);
  console.log(`| a call with --own-servers, ms | ${ownMs.toFixed(2)} |`);
  console.log(`| more, ms | ${(attachedMs - ownMs).toFixed(2)} |`);
} finally {
  execFileSync(process.execPath, [mcpx, 'down', '--now'], { cwd: stage, env, stdio: 'ignore' });
  rmSync(stage, { recursive: true, force: true });
}
