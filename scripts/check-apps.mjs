// MCP Apps of others in a real browser: two servers of the ext-apps examples behind `mcpx serve --http`, opened by a host
// with their AppBridge, for clients of both revisions. The apps call tools by their servers' own names, one of them a
// tool that only apps see. Needs the built packages, Chromium and the npm registry.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumPath } from './chromium.mjs';
import { Report } from './report.mjs';
import { root } from './root.mjs';
import { run } from './run.mjs';
import { mcpx, startGateway } from './served-gateway.mjs';

const packages = [
  '@modelcontextprotocol/ext-apps@2.0.4',
  '@modelcontextprotocol/client@2.4.0',
  '@modelcontextprotocol/core@2.4.0',
  '@modelcontextprotocol/server-basic-vanillajs@2.0.3',
  '@modelcontextprotocol/server-system-monitor@2.0.3',
  'esbuild@0.28.2',
];
const servers = { clock: 'server-basic-vanillajs', monitor: 'server-system-monitor' };
const modes = { 'revision 2026-07-28': { pin: '2026-07-28' }, 'revision 2025-11-25': 'legacy' };
const { chromium } = createRequire(mcpx)('playwright-core');

const folder = await mkdtemp(join(tmpdir(), 'check-apps-'));
const project = join(folder, 'project');
const home = join(folder, 'home');
// What the gateway keeps stays in the folder.
const env = { ...process.env, HOME: home, USERPROFILE: home, APPDATA: home, LOCALAPPDATA: home, XDG_DATA_HOME: home };

const report = new Report();
try {
  if (await report.check('npm install of the apps and the host', install)) await tryApps();
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
report.finish();

async function install() {
  await mkdir(project);
  await mkdir(home);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder });
  const entries = Object.entries(servers).map(([name, example]) => {
    const program = join(folder, 'node_modules', '@modelcontextprotocol', example, 'dist', 'index.js');
    return [name, { command: process.execPath, args: [program, '--stdio'], auto_start: true }];
  });
  await writeFile(join(project, 'mcp_servers.yaml'), JSON.stringify({ mcp_servers: Object.fromEntries(entries) }));
  await run(process.execPath, [mcpx, 'trust', '--yes'], { cwd: project, env });
  await cp(join(root, 'scripts', 'apps', 'host.mjs'), join(folder, 'host.mjs'));
  const esbuild = join(folder, 'node_modules', '.bin', 'esbuild');
  await run(esbuild, ['host.mjs', '--bundle', '--format=esm', '--outfile=host.js'], { cwd: folder });
  return true;
}

async function tryApps() {
  const gateway = await startGateway({ cwd: project, env });
  const page = await servePage(gateway);
  const executablePath = chromiumPath(chromium.executablePath());
  // A sandbox of the process needs rights that containers do not have.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    for (const [name, mode] of Object.entries(modes)) await tryRevision(name, mode, { browser, page });
  } finally {
    await browser.close();
    page.close();
    await gateway.stop();
  }
}

async function tryRevision(revision, mode, { browser, page: { url, calls } }) {
  const page = await browser.newPage();
  page.setDefaultTimeout(30_000);
  await page.goto(url);
  const open = (tool) => page.evaluate((asked) => window.openApp(asked), { tool, mode });
  await report.check(`${revision}: the app of the clock opens`, async () => {
    expectEqual(await open('mcp__clock__get-time'), 'ui://mcp+clock/get-time/mcp-app.html');
    await timeOn(page, 'Loading...');
  });
  await report.check(`${revision}: it calls its tool by the name of its server`, async () => {
    const before = await timeOn(page, 'Loading...');
    await page.frameLocator('iframe[name="mcp__clock__get-time"]').locator('#get-time-btn').click();
    await timeOn(page, before);
    expectEqual(calls.at(-1), 'get-time');
  });
  await report.check(`${revision}: the app of the monitor opens beside it`, async () => {
    expectEqual(await open('mcp__monitor__get-system-info'), 'ui://mcp+monitor/system-monitor/mcp-app.html');
    await textOf(monitor(page).locator('#info-hostname'), (text) => text !== '--');
  });
  await report.check(`${revision}: it calls a tool that only apps see`, async () => {
    const percent = monitor(page).locator('#memory-percent');
    if ((await percent.textContent()) === '--%') await monitor(page).locator('#poll-toggle-btn').click();
    await textOf(percent, (text) => /^\d+%$/.test(text));
    expectEqual(calls.includes('poll-system-stats'), true);
  });
  await page.close();
  calls.length = 0;
}

function monitor(page) {
  return page.frameLocator('iframe[name="mcp__monitor__get-system-info"]');
}

/** The time that the clock shows, once it is another one than `before`. */
function timeOn(page, before) {
  const time = page.frameLocator('iframe[name="mcp__clock__get-time"]').locator('#server-time');
  return textOf(time, (text) => text !== before && !Number.isNaN(Date.parse(text)));
}

/** The text of an element, once it is as expected. */
async function textOf(locator, isExpected) {
  const deadline = performance.now() + 30_000;
  let text;
  do {
    text = (await locator.textContent()) ?? '';
    if (isExpected(text)) return text;
    await locator.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  } while (performance.now() < deadline);
  throw new Error(`The app still shows ${JSON.stringify(text)} after 30 seconds`);
}

/** The host's page at `/`, and the gateway at `/mcp`, to which it adds the token. Notes the names of called tools. */
async function servePage({ url: gateway, token }) {
  const script = await readFile(join(folder, 'host.js'));
  const calls = [];
  const server = createServer(async (incoming, response) => {
    if (incoming.url === '/')
      return response.setHeader('content-type', 'text/html').end('<script type="module" src="/host.js"></script>');
    if (incoming.url === '/host.js') return response.setHeader('content-type', 'text/javascript').end(script);
    if (incoming.url !== '/mcp') return response.writeHead(404).end();
    const { origin: _, host: __, connection: ___, ...headers } = incoming.headers;
    const body = Buffer.concat(await incoming.toArray());
    const { method, params } = body.length > 0 ? JSON.parse(body) : {};
    if (method === 'tools/call') calls.push(params.name);
    const options = { method: incoming.method, headers: { ...headers, authorization: `Bearer ${token}` } };
    const passed = request(gateway, options, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    return passed.end(body);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, calls, close };
}

function expectEqual(actual, expected) {
  if (actual !== expected) throw new Error(`Expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
}
