// Clients that people use, against `mcpx serve` over stdio and over HTTP, each at its newest version: coding agents with a
// recording API in place of their model, client libraries, and commands. Needs the built packages and the npm registry.
//
// `--write` records the results in docs/works-with.json and writes docs/works-with.md. `--keep <folder>` installs there,
// and uses what is there.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { tryAgents } from './clients/agents.mjs';
import { tryCommands } from './clients/commands.mjs';
import { libraries, tryLibraries } from './clients/libraries.mjs';
import { Tried } from './clients/tried.mjs';
import { Report } from './report.mjs';
import { run } from './run.mjs';
import { mcpx, startGateway } from './served-gateway.mjs';
import { peersNow, recordWorksWith } from './works-with/results.mjs';

const { values } = parseArgs({ options: { write: { type: 'boolean' }, keep: { type: 'string' } } });
const folder = await mkdtemp(join(tmpdir(), 'check-clients-'));
const installs = values.keep === undefined ? join(folder, 'installs') : resolve(values.keep);
const project = join(folder, 'project');
const home = join(folder, 'home');
const config = join(project, 'mcp_servers.yaml');
// What the clients and the gateway keep stays in the folder.
const ownPlaces = { HOME: home, USERPROFILE: home, APPDATA: home, LOCALAPPDATA: home, XDG_DATA_HOME: home };
const env = { ...process.env, ...ownPlaces };

const report = new Report();
const tried = new Tried(report);
try {
  await writeProject();
  const clients = await report.check('npm install of the clients', installClients);
  if (clients) await tryAll(clients);
  if (values.write) await recordWorksWith('clients', tried.programs, { peers: await peersNow() });
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
report.finish();

async function writeProject() {
  const require = createRequire(mcpx);
  const everything = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
  const servers = { everything: { command: process.execPath, args: [everything], auto_start: true } };
  await mkdir(project);
  await mkdir(home);
  await mkdir(installs, { recursive: true });
  await writeFile(config, JSON.stringify({ mcp_servers: servers }));
  // Clients start the gateway with an environment of their own, without a terminal to ask on.
  await run(process.execPath, [mcpx, 'trust', '--yes'], { cwd: project, env });
}

/** Some clients need a newer Node than the packages do, which comes with them. */
async function installClients() {
  const wanted = Object.entries(libraries).map(([name, { spec }]) => `${name}@${spec}`);
  const packages = [...wanted, 'zod@4', 'mcporter@latest', '@modelcontextprotocol/inspector@latest', 'node@24'];
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, ...packages], { cwd: folder });
  const modules = join(folder, 'node_modules');
  const node = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  const versionOf = async (name) =>
    JSON.parse(await readFile(join(modules, ...name.split('/'), 'package.json'), 'utf8')).version;
  const command = async (name, ...path) => ({
    version: await versionOf(name),
    run: async (...args) =>
      JSON.parse(
        (await run(node, [join(modules, ...name.split('/'), ...path), ...args], { cwd: project, env })).stdout,
      ),
  });
  return {
    node,
    versionOf,
    mcporter: await command('mcporter', 'dist', 'cli.js'),
    inspector: await command('@modelcontextprotocol/inspector', 'clients', 'launcher', 'build', 'index.js'),
  };
}

async function tryAll({ node, versionOf, mcporter, inspector }) {
  const gateway = await startGateway({ cwd: project, env });
  const gateways = {
    stdio: {
      name: 'gateway',
      transport: 'stdio',
      command: process.execPath,
      args: [mcpx, 'serve', '--config', config, '--own-servers'],
      env: ownPlaces,
    },
    HTTP: {
      name: 'gateway',
      transport: 'http',
      url: gateway.url,
      headers: { Authorization: `Bearer ${gateway.token}` },
    },
  };
  try {
    await tryAgents({ folder, installs, gateways, tried, report });
    await tryLibraries({ folder, node, versionOf, gateways, tried });
    // Commands run in the folder of the config, because they read `--config` as their own option.
    const stdio = { ...gateways.stdio, args: [mcpx, 'serve', '--own-servers'] };
    await tryCommands({ mcporter, inspector, gateways: { ...gateways, stdio }, tried });
  } finally {
    await gateway.stop();
  }
}
