// What telemetry costs a call through `mcpx serve --own-servers` to a real server, over stdio and HTTP: metrics that are
// scraped, and metrics and spans that are exported to a collector of its own process, beside the same command without them.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { costOfCalls, printCosts } from './call-costs.mjs';
import { interleaved, numbersFrom, printConditions } from './measurement.mjs';
import { packageDependency, packagePath } from './own-packages.mjs';
import { connectServed, connectServedHttp } from './served-client.mjs';

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
    const everything = '@modelcontextprotocol/server-everything/dist/index.js';
    const args = [fileURLToPath(packageDependency('mcp-cli', everything)), 'stdio'];
    const entry = { command: process.execPath, args, auto_start: true };
    writeFileSync(join(stage, 'mcp_servers.yaml'), JSON.stringify({ mcp_servers: { everything: entry } }));
    writeFileSync(join(stage, 'scrape.token'), 'the-token-of-the-scraper', { mode: 0o600 });

    const exported = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_LOGS_EXPORTER: 'none' };
    const sampled = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.05' };
    const contenders = {
      off: {},
      'metrics scraped': { options: ['--metrics-token-file', 'scrape.token'], isHttp: true },
      'metrics exported': { env: { ...exported, OTEL_TRACES_EXPORTER: 'none' } },
      'metrics and 1 of 20 traces exported': { env: { ...exported, ...sampled } },
      'metrics and all traces exported': { env: exported },
    };
    const mcpx = packagePath('mcp-cli', 'bin.js');
    const home = { HOME: stage, XDG_DATA_HOME: stage, XDG_RUNTIME_DIR: stage, XDG_CONFIG_HOME: stage };
    const loadBefore = loadavg()[0];
    for (const [transport, connect] of Object.entries({ stdio: connectServed, HTTP: connectServedHttp })) {
      const clients = new Map();
      for (const [name, { options = [], env, isHttp }] of Object.entries(contenders)) {
        if (isHttp && transport !== 'HTTP') continue;
        const place = { cwd: stage, env: { PATH: process.env.PATH, MCPX_TRUST: '1', ...home, ...env } };
        const client = await connect(mcpx, ['--own-servers', ...options], place);
        opened.push(client);
        clients.set(name, client);
      }
      for (const lanes of [1, 8]) {
        const asked = Array.from(clients, ([name, { pid, request }]) => {
          return [name, () => costOfCalls(() => callEcho(request), { lanes, calls, pids: [pid] })];
        });
        const measured = await interleaved(Object.fromEntries(asked), rounds);
        printCosts(
          `mcpx serve over ${transport}, ${lanes === 1 ? 'one call at a time' : `${lanes} in flight`}`,
          measured,
        );
      }
      for (const client of opened.splice(0)) await client.close();
    }
    printConditions({
      how: [
        `${rounds} interleaved rounds`,
        `${calls} calls each to @modelcontextprotocol/server-everything`,
        'processor time of mcpx',
        `load of the machine ${loadBefore.toFixed(1)} – ${loadavg()[0].toFixed(1)}`,
      ],
    });
  } finally {
    for (const client of opened) await client.close();
    collector.disconnect();
    rmSync(stage, { recursive: true, force: true });
  }
}

async function callEcho(request) {
  const { result } = await request('tools/call', { name: 'mcp__everything__echo', arguments: { message: 'hello' } });
  if (result?.content?.[0]?.text !== 'Echo: hello') throw new Error(`The server responded ${JSON.stringify(result)}`);
}
