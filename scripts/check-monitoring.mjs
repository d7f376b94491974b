// Scrapes `mcpx serve --own-servers` and the daemon with the real Prometheus of Debian, and sends it every query of the dashboard and of the alerts.
//   node scripts/check-monitoring.mjs        needs prometheus and promtool: apt-get install prometheus
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parse } from 'yaml';
import { testServer } from '../packages/test-servers/dist/index.js';
import { freePort } from './free-port.mjs';
import { root } from './root.mjs';

const token = 'the-token-of-the-scraper';
const clientToken = 'the-token-of-a-client';
const limitMs = 60_000;
const folder = await mkdtemp(join(tmpdir(), 'mcpx-monitoring-'));
const mcpx = join(root, 'packages/mcp-cli/dist/bin.js');
const env = { ...process.env, MCPX_TRUST: '1', HOME: folder, XDG_DATA_HOME: folder };
const children = [];
const failures = [];
try {
  await writeFile(join(folder, 'scrape.token'), token, { mode: 0o600 });
  await writeFile(join(folder, 'client.token'), clientToken, { mode: 0o600 });
  const entry = { ...testServer('reports-trace'), auto_start: true };
  await writeFile(join(folder, 'mcp_servers.yaml'), JSON.stringify({ mcp_servers: { up: entry } }));
  const queries = await allQueries();

  const url = await serve('--own-servers', '--metrics-token-file', 'scrape.token');
  await check('mcpx serve --own-servers', { url, metrics: new URL('/metrics', url), queries });
  await endAll();

  const metricsPort = String(await freePort());
  command('up', '--metrics-token-file', 'scrape.token', '--metrics-port', metricsPort);
  const metrics = new URL(`http://127.0.0.1:${metricsPort}/metrics`);
  await check('the daemon', { url: await serve(), metrics, queries });

  console.log(`${queries.length * 2 - failures.length} passed, ${failures.length} failed`);
  if (failures.length > 0) process.exitCode = 1;
} finally {
  await endAll();
  command('down');
  await rm(folder, { recursive: true, force: true });
}

async function check(name, { url, metrics, queries }) {
  console.log(name);
  const input = await read(metrics, token);
  execFileSync('promtool', ['check', 'metrics'], { input, stdio: ['pipe', 'inherit', 'inherit'] });
  const prometheus = await startPrometheus(metrics);
  await callTools(url);
  for (const query of queries) {
    const look = async () => {
      await callTools(url);
      return (await ask(prometheus, query)).length > 0;
    };
    const isOptional = mayBeEmpty(query);
    const found = await (isOptional ? look() : until(look));
    if (!found && !isOptional) failures.push(`${name}: ${query}`);
    console.log(`${found ? 'ok   ' : 'empty'} ${query}`);
  }
}

/** Alerts, and what has to end first. */
function mayBeEmpty(query) {
  return query.includes('> ') || query.includes('failed') || query.includes('session_duration');
}

function command(...words) {
  execFileSync(process.execPath, [mcpx, ...words], { cwd: folder, env, stdio: 'inherit' });
}

/** @returns The URL of the endpoint. */
async function serve(...words) {
  const args = [mcpx, 'serve', '--http', '--json', '--port', '0', '--token-file', 'client.token', ...words];
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line).url;
  throw new Error('mcpx serve has ended');
}

async function startPrometheus({ host }) {
  const config = parse(await readFile(join(root, 'deploy/monitoring/prometheus.yml'), 'utf8'));
  config.global.scrape_interval = '1s';
  config.rule_files = [join(root, 'deploy/monitoring/alerts.yml')];
  const [job] = config.scrape_configs;
  job.authorization.credentials_file = join(folder, 'scrape.token');
  job.static_configs = [{ targets: [host] }];
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const address = `127.0.0.1:${await freePort()}`;
  const args = [
    '--config.file=prometheus.yml',
    `--storage.tsdb.path=${await mkdtemp(join(folder, 'data-'))}`,
    `--web.listen-address=${address}`,
  ];
  const child = spawn('prometheus', [...args, '--log.level=warn'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  children.push(child);
  const origin = `http://${address}`;
  if (!(await until(async () => (await fetch(`${origin}/-/ready`).catch(() => undefined))?.ok))) {
    throw new Error('Prometheus is not ready');
  }
  return origin;
}

async function allQueries() {
  const { panels } = JSON.parse(await readFile(join(root, 'deploy/monitoring/grafana-dashboard.json'), 'utf8'));
  const { groups } = parse(await readFile(join(root, 'deploy/monitoring/alerts.yml'), 'utf8'));
  const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const alerts = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
  return [...shown, ...alerts].map((text) => text.replaceAll('$__rate_interval', '10s').replaceAll('$server', '.*'));
}

async function ask(origin, query) {
  const response = await fetch(`${origin}/api/v1/query?${new URLSearchParams({ query })}`);
  const { status, error, data } = await response.json();
  if (status !== 'success') throw new Error(`${query}\n${error}`);
  return data.result;
}

async function callTools(url) {
  for (const name of ['mcp__up__trace', 'mcp__up__fail']) await send(url, 'tools/call', { name, arguments: {} });
  await send(url, 'tools/list', {});
}

async function send(url, method, params) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'check', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = {
    authorization: `Bearer ${clientToken}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(params.name !== undefined && { 'mcp-name': params.name }),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } });
  const response = await fetch(url, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`${method}: HTTP ${response.status}`);
  await response.text();
}

async function read(url, bearer) {
  const response = await fetch(url, { headers: { authorization: `Bearer ${bearer}` } });
  if (!response.ok) throw new Error(`${url}: HTTP ${response.status}`);
  return response.text();
}

async function until(look) {
  const endsAt = performance.now() + limitMs;
  while (performance.now() < endsAt) {
    if (await look()) return true;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return false;
}

async function endAll() {
  for (const child of children.splice(0).reverse()) await end(child);
}

async function end(child) {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
