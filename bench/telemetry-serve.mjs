// What telemetry costs a call through `mcpx serve` to a real server, over stdio, HTTP and by the daemon: metrics that are
// scraped, and metrics and spans that are exported to a collector of its own process, beside the same command without them.
// The same command twice without telemetry shows which differences mean nothing.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { costOfCalls, printCosts } from './call-costs.mjs';
import { interleaved, numbersFrom, printConditions } from './measurement.mjs';
import { packageDependency, packagePath } from './own-packages.mjs';
import { connectServed, connectServedHttp } from './served-client.mjs';

const mcpx = packagePath('mcp-cli', 'bin.js');
const ways = {
  'over stdio': { connect: connectServed },
  'over HTTP': { connect: connectServedHttp, isHttp: true },
  'by the daemon': { connect: connectServed, isByDaemon: true },
};

if (process.send !== undefined) {
  await collect();
} else {
  const { rounds, calls } = numbersFrom({ rounds: 40, calls: 250 });
  await measure(rounds, calls);
}

/** Receives what is exported, and drops it. */
async function collect() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.on('disconnect', () => process.exit());
  process.send(server.address().port);
}

async function measure(rounds, calls) {
  const stage = mkdtempSync(join(tmpdir(), 'bench-telemetry-'));
  const collector = fork(fileURLToPath(import.meta.url));
  const opened = [];
  try {
    const [port] = await once(collector, 'message');
    const exported = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_LOGS_EXPORTER: 'none' };
    const sampled = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.05' };
    const contenders = {
      off: {},
      'off, once more': {},
      'metrics scraped': { options: ['--metrics-token-file', 'scrape.token'], isHttp: true },
      'metrics exported': { env: { ...exported, OTEL_TRACES_EXPORTER: 'none' } },
      'metrics and 1 of 20 traces exported': { env: { ...exported, ...sampled } },
      'metrics and all traces exported': { env: exported },
    };
    const loadBefore = loadavg()[0];
    for (const [way, { connect, isHttp, isByDaemon }] of Object.entries(ways)) {
      const clients = new Map();
      for (const [name, { options = [], env, ...contender }] of Object.entries(contenders)) {
        if (contender.isHttp && !isHttp) continue;
        const place = stageAt(join(stage, `${way} ${name}`.replaceAll(/[ ,]/g, '-')), env);
        const { pid, request, close } = await connect(mcpx, isByDaemon ? [] : ['--own-servers', ...options], place);
        const daemon = isByDaemon ? daemonOf(place) : undefined;
        const client = { pids: daemon ? [pid, daemon] : [pid], request, close: () => close().then(() => down(place)) };
        opened.push(client);
        await warmUp(request);
        clients.set(name, client);
      }
      for (const lanes of [1, 8]) {
        const asked = Array.from(clients, ([name, { pids, request }]) => {
          return [name, () => costOfCalls(() => callEcho(request), { lanes, calls, pids })];
        });
        const measured = await interleaved(Object.fromEntries(asked), rounds);
        printCosts(`mcpx serve ${way}, ${lanes === 1 ? 'one call at a time' : `${lanes} in flight`}`, measured);
      }
      for (const client of opened.splice(0)) await client.close();
    }
    printConditions({
      how: [
        `${rounds} interleaved rounds`,
        `${calls} calls each to @modelcontextprotocol/server-everything`,
        'processor time of mcpx and its daemon',
        `load of the machine ${loadBefore.toFixed(1)} – ${loadavg()[0].toFixed(1)}`,
      ],
    });
  } finally {
    for (const client of opened) await client.close();
    collector.disconnect();
    rmSync(stage, { recursive: true, force: true });
  }
}

/** A folder of its own with a config, so that each contender has its own daemon, and the environment for it. */
function stageAt(folder, env) {
  mkdirSync(folder);
  const everything = '@modelcontextprotocol/server-everything/dist/index.js';
  const args = [fileURLToPath(packageDependency('mcp-cli', everything)), 'stdio'];
  const entry = { command: process.execPath, args, auto_start: true };
  writeFileSync(join(folder, 'mcp_servers.yaml'), JSON.stringify({ mcp_servers: { everything: entry } }));
  writeFileSync(join(folder, 'scrape.token'), 'the-token-of-the-scraper', { mode: 0o600 });
  const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_RUNTIME_DIR: folder, XDG_CONFIG_HOME: folder };
  return { cwd: folder, env: { PATH: process.env.PATH, MCPX_TRUST: '1', ...home, ...env } };
}

/** The process of the daemon that serves requests. */
function daemonOf(place) {
  const status = execFileSync(process.execPath, [mcpx, 'status', '--json'], { ...place, encoding: 'utf8' });
  return JSON.parse(status).daemon.workerPid;
}

function down(place) {
  execFileSync(process.execPath, [mcpx, 'down', '--now'], { ...place, stdio: 'ignore' });
}

/** The compiler has then seen the code, also that of the first measurement. */
async function warmUp(request) {
  const lane = async () => {
    for (let call = 0; call < 500; call++) await callEcho(request);
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

async function callEcho(request) {
  const { result } = await request('tools/call', { name: 'mcp__everything__echo', arguments: { message: 'hello' } });
  if (result?.content?.[0]?.text !== 'Echo: hello') throw new Error(`The server responded ${JSON.stringify(result)}`);
}
