// The registry in every JavaScript runtime that can be had: packs it, installs it into an empty project, and runs one small
// program in Node, Deno, Bun, workerd (the runtime of Cloudflare Workers) and Chromium. The last two get it bundled.
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { packPackage } from './pack-packages.mjs';
import { Report } from './report.mjs';
import { root } from './root.mjs';
import { run } from './run.mjs';

const tools = ['bun@1.4.5', 'deno@2.9.6', 'esbuild@0.28.2', 'workerd@1.20260730.1'];
const compatibilityDate = '2026-07-01';
const chromiums = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const folder = await mkdtemp(join(tmpdir(), 'check-runtimes-'));
const project = join(folder, 'project');
const report = new Report();
try {
  if (await report.check('the registry and the runtimes in an empty project', install)) {
    await report.check('Node', () => runProcess(process.execPath, ['process.mjs']));
    await report.check('Deno', () => runProcess(tool('deno'), ['run', '--allow-env', '--allow-read', 'process.mjs']));
    await report.check('Bun', () => runProcess(tool('bun'), ['process.mjs']));
    await report.check('workerd, at module scope', runWorker);
    await report.check('Chromium', runPage);
  }
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
report.finish();

async function install() {
  await cp(join(root, 'scripts', 'runtimes'), project, { recursive: true });
  const { tarball } = await packPackage('mcp-registry', folder);
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await run('npm', ['install', '--no-audit', '--no-fund', tarball, ...tools], { cwd: project });
  return true;
}

async function runProcess(command, args) {
  const { stdout } = await run(command, args, { cwd: project, timeoutMs: 60_000 });
  if (stdout.trim() !== 'ok') throw new Error(stdout);
}

async function runWorker() {
  const out = await bundle('worker.mjs');
  const files = await readdir(join(project, out));
  const modules = files.sort((one, other) => Number(other === 'worker.js') - Number(one === 'worker.js'));
  const listed = modules.map((name) => `(name = "${name}", esModule = embed "${out}/${name}")`);
  const worker = `(modules = [${listed.join(', ')}], compatibilityDate = "${compatibilityDate}")`;
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = ${worker})]);`;
  await writeFile(join(project, 'worker.capnp'), config);
  await run(tool('workerd'), ['test', 'worker.capnp'], { cwd: project, timeoutMs: 60_000 });
}

async function runPage() {
  const chromium = chromiums.find((path) => path !== undefined && existsSync(path));
  if (chromium === undefined) throw new Error('There is no Chromium; set CHROMIUM to its path');
  const out = await bundle('page.mjs');
  const server = createServer(async ({ url }, response) => {
    const isPage = url === '/';
    response.setHeader('content-type', isPage ? 'text/html' : 'text/javascript');
    if (isPage) response.end('<!doctype html><body>not run<script type="module" src="/page.js"></script>');
    else response.end(extname(url) === '.js' ? await readFile(join(project, out, url)) : '');
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${server.address().port}/`;
  const profile = `--user-data-dir=${join(folder, 'profile')}`;
  // A sandbox needs rights that containers do not have; it is our own page that is opened.
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', profile, '--virtual-time-budget=20000', '--dump-dom'];
  try {
    const { stdout } = await run(chromium, [...flags, url], { cwd: project, timeoutMs: 60_000 });
    if (!stdout.includes('<body>ok</body>')) throw new Error(stdout);
  } finally {
    server.close();
  }
}

/** @returns The folder with the bundle, which has a chunk for each module that is imported later. */
async function bundle(entry) {
  const out = `out-${entry.replace('.mjs', '')}`;
  await mkdir(join(project, out));
  const options = ['--bundle', '--minify', '--splitting', '--format=esm', '--target=es2022', `--outdir=${out}`];
  await run(tool('esbuild'), [entry, ...options], { cwd: project });
  return out;
}

function tool(name) {
  return join(project, 'node_modules', '.bin', name);
}
