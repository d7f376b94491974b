// Clients that people use, against `mcpx serve` over stdio and over HTTP: mcporter, and the MCP Inspector without its
// page. Both need a newer Node than the packages do, which comes with them. Needs the built packages and the npm registry.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Report } from './report.mjs';
import { run } from './run.mjs';
import { mcpx, startGateway } from './served-gateway.mjs';

const packages = ['mcporter@0.12.3', '@modelcontextprotocol/inspector@2.12.0', 'node@24'];

const folder = await mkdtemp(join(tmpdir(), 'check-clients-'));
const project = join(folder, 'project');
const home = join(folder, 'home');
// What the clients and the gateway keep stays in the folder.
const env = { ...process.env, HOME: home, USERPROFILE: home, APPDATA: home, LOCALAPPDATA: home, XDG_DATA_HOME: home };

const report = new Report();
try {
  await writeProject();
  const clients = await report.check('npm install of the clients', installClients);
  if (clients) await tryClients(clients);
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
  await writeFile(join(project, 'mcp_servers.yaml'), JSON.stringify({ mcp_servers: servers }));
  // Clients start the gateway with an environment of their own, without a terminal to ask on.
  await run(process.execPath, [mcpx, 'trust', '--yes'], { cwd: project, env });
}

async function installClients() {
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, ...packages], { cwd: folder });
  const modules = join(folder, 'node_modules');
  const node = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  const programOf = (...path) => {
    const program = join(modules, ...path);
    return async (...args) => JSON.parse((await run(node, [program, ...args], { cwd: project, env })).stdout);
  };
  const inspector = programOf('@modelcontextprotocol', 'inspector', 'clients', 'launcher', 'build', 'index.js');
  return { mcporter: programOf('mcporter', 'dist', 'cli.js'), inspector: (...args) => inspector('--cli', ...args) };
}

async function tryClients({ mcporter, inspector }) {
  const byStdio = [
    '--stdio',
    process.execPath,
    '--stdio-arg',
    mcpx,
    '--stdio-arg',
    'serve',
    '--stdio-arg',
    '--own-servers',
    '--cwd',
    project,
  ];
  await tryMcporter('mcporter over stdio', mcporter, byStdio);
  await tryInspector('Inspector over stdio', (...args) =>
    inspector(...args, process.execPath, mcpx, 'serve', '--own-servers'),
  );

  const gateway = await startGateway({ cwd: project, env });
  try {
    const { url, token } = gateway;
    const byHttp = ['--http-url', url, '--allow-http', '--header', `Authorization=Bearer ${token}`];
    await tryMcporter('mcporter over HTTP', mcporter, byHttp);
    const header = ['--transport', 'http', '--header', `Authorization: Bearer ${token}`];
    await tryInspector('Inspector over HTTP', (...args) => inspector(url, ...header, ...args));
    await report.check('mcporter over HTTP without the token is told that it needs one', async () => {
      const without = ['--http-url', url, '--allow-http', '--no-oauth', '--name', 'gateway', '--json'];
      const told = await mcporter('list', ...without).catch(({ message }) => message);
      expectIn('(401)', JSON.stringify(told));
    });
  } finally {
    await gateway.stop();
  }
}

async function tryMcporter(name, mcporter, target) {
  const to = [...target, '--name', 'gateway', '--no-oauth'];
  await report.check(`${name} lists the tools`, async () => {
    const { status, tools } = await mcporter('list', ...to, '--json');
    expectIn('ok', status);
    for (const tool of ['search_mcp_tools', 'mcp__everything__echo']) expectIn(tool, namesOf(tools));
  });
  await report.check(`${name} calls a tool`, async () => {
    const args = ['--tool', 'mcp__everything__echo', '--args', '{"message":"hello"}', '--output', 'json'];
    const { content } = await mcporter('call', ...to, ...args);
    expectIn('Echo: hello', content[0].text);
  });
}

async function tryInspector(name, inspector) {
  const lists = {
    'tools/list': ({ tools }) => expectIn('mcp__everything__echo', namesOf(tools)),
    'resources/list': ({ resources }) => expectIn('mcp+everything:', resources[0].uri),
    'resources/templates/list': ({ resourceTemplates }) =>
      expectIn('mcp+everything:', resourceTemplates[0].uriTemplate),
    'prompts/list': ({ prompts }) => expectIn('mcp__everything__simple-prompt', namesOf(prompts)),
  };
  for (const [method, expectList] of Object.entries(lists)) {
    await report.check(`${name}: ${method}`, async () => expectList(await inspector('--method', method)));
  }
  await report.check(`${name}: tools/call`, async () => {
    // What follows an argument of the tool has to be an option, or it would be taken for one more of them.
    const call = ['--tool-arg', 'message=hello', '--tool-name', 'mcp__everything__echo'];
    const { content } = await inspector(...call, '--method', 'tools/call');
    expectIn('Echo: hello', content[0].text);
  });
  await report.check(`${name}: resources/read`, async () => {
    const { resources } = await inspector('--method', 'resources/list');
    const [{ uri }] = resources;
    const { contents } = await inspector('--method', 'resources/read', '--uri', uri);
    expectIn(uri, contents[0].uri);
  });
  await report.check(`${name}: prompts/get`, async () => {
    const { messages } = await inspector('--method', 'prompts/get', '--prompt-name', 'mcp__everything__simple-prompt');
    expectIn('user', messages[0].role);
  });
}

function namesOf(list) {
  return list.map(({ name }) => name);
}

function expectIn(part, whole) {
  if (!whole?.includes(part)) throw new Error(`Expected ${JSON.stringify(part)} in ${JSON.stringify(whole)}`);
}
