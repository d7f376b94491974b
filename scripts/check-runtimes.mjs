// The registry in every JavaScript runtime that can be had: packs it, installs it into an empty project, and runs one small
// program in Node, Deno, Bun, workerd (the runtime of Cloudflare Workers) and Chromium. The last two get it bundled. Then an
// app for Node with all that `@x/mcp` can do, as bundles of esbuild and Vite, and the Worker of docs/bundling.md.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { chromiumPath } from './chromium.mjs';
import { startGuardedServer } from './consumer/guarded-server.mjs';
import { packPackage } from './pack-packages.mjs';
import { Report } from './report.mjs';
import { root } from './root.mjs';
import { run } from './run.mjs';

const packages = ['mcp-config-schema', 'mcp-client-manager', 'mcp-registry', 'mcp'];
const tools = ['bun@1.4.5', 'deno@2.9.6', 'esbuild@0.28.2', 'vite@8.3.8', 'workerd@1.20260730.1'];
/** The app for Node: its bundles, and what it reads and starts. */
const bundled = 'bundled';
const appFiles = ['server.mjs', 'mcp_servers.yaml', 'package.json'];
const compatibilityDate = '2026-07-01';

const folder = await mkdtemp(join(tmpdir(), 'check-runtimes-'));
const project = join(folder, 'project');
const report = new Report();
try {
  if (await report.check('the packages and the runtimes in an empty project', install)) {
    await report.check('Node', () => runProcess(process.execPath, ['process.mjs']));
    await report.check('Deno', () => runProcess(tool('deno'), ['run', '--allow-env', '--allow-read', 'process.mjs']));
    await report.check('Bun', () => runProcess(tool('bun'), ['process.mjs']));
    await report.check('workerd, at module scope', () => runWorker('worker'));
    await report.check('workerd, the guide', () => runWorker('guide-worker'));
    await report.check('Chromium', runPage);
    const esbuildOptions = ['--bundle', '--platform=node', '--format=esm', `--outdir=${bundled}`];
    await report.check('esbuild, for Node', () => runBundled(tool('esbuild'), ['app.mjs', ...esbuildOptions]));
    await report.check('Vite, for Node', () => runBundled(tool('vite'), ['build', '--outDir', bundled]));
  }
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
report.finish();

async function install() {
  await cp(join(root, 'scripts', 'runtimes'), project, { recursive: true });
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  for (const name of ['app.mjs', 'open-tools.mjs', 'server.mjs', 'mcp_servers.yaml']) {
    await cp(join(root, 'scripts', 'consumer', name), join(project, name));
  }
  const tarballs = [];
  for (const name of packages) tarballs.push((await packPackage(name, folder)).tarball);
  await run('npm', ['install', '--no-audit', '--no-fund', ...tarballs, ...tools], { cwd: project });
  return true;
}

async function runProcess(command, args) {
  const { stdout } = await run(command, args, { cwd: project, timeoutMs: 60_000 });
  if (stdout.trim() !== 'ok') throw new Error(stdout);
}

async function runWorker(name) {
  const out = await bundle(`${name}.mjs`);
  const first = `${name}.js`;
  const files = await readdir(join(project, out));
  const modules = files.sort((one, other) => Number(other === first) - Number(one === first));
  const listed = modules.map((file) => `(name = "${file}", esModule = embed "${out}/${file}")`);
  const worker = `(modules = [${listed.join(', ')}], compatibilityDate = "${compatibilityDate}")`;
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = ${worker})]);`;
  await writeFile(join(project, `${name}.capnp`), config);
  await run(tool('workerd'), ['test', `${name}.capnp`], { cwd: project, timeoutMs: 60_000 });
}

/** Runs in a folder without `node_modules`, where nothing is found that the bundler has left out. */
async function runBundled(command, args) {
  await run(command, args, { cwd: project });
  const server = await startGuardedServer();
  try {
    const cwd = join(folder, args.join(' ').replaceAll(/\W+/g, '-'));
    for (const name of [bundled, ...appFiles]) await cp(join(project, name), join(cwd, name), { recursive: true });
    const env = { ...process.env, ISSUER: server.origin };
    const { stdout, stderr } = await run(process.execPath, [`${bundled}/app.js`], { cwd, env, timeoutMs: 60_000 });
    if (stdout !== 'Hello, Ada\n') throw new Error(stdout + stderr);
  } finally {
    server.close();
  }
}

async function runPage() {
  const chromium = chromiumPath();
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
