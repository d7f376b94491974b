// Coding agents with the gateway in their config and a recording API in place of their model: the model calls a tool of a
// server behind the gateway, and the agent sends it the result.
import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncHosts } from '../../packages/mcp-host-sync/dist/index.js';
import { installProgram } from '../hosts/install.mjs';
import { programs } from '../hosts/programs.mjs';
import { openRecordingApi } from '../models/recording-api.mjs';
import { run } from '../run.mjs';

const prompt = 'Say hello through the echo tool';
const echo = 'mcp__everything__echo';
const search = 'search_mcp_tools';
const echoed = 'Echo: hello';
const waitTool = 'WaitForMcpServers';
/** Requests after which the model no longer waits for servers. */
const patience = 8;
const last = 'The echo said hello';

/** By family of scripts/hosts/programs.mjs: the words of a run, the environment and the settings that replace the model. */
const agents = {
  'claude-code': {
    host: 'claude-code-user',
    words: () => ['--print', prompt, '--allowedTools', 'mcp__gateway'],
    env: (api) => ({
      ANTHROPIC_BASE_URL: api,
      ANTHROPIC_API_KEY: 'none',
      // All tools of connected servers are in a request.
      ENABLE_TOOL_SEARCH: 'false',
      MCP_CONNECTION_NONBLOCKING: 'false',
    }),
  },
  'gemini-cli': {
    host: 'gemini-cli-user',
    settings: { '.gemini/settings.json': { security: { auth: { selectedType: 'gemini-api-key' } } } },
    words: () => ['--prompt', prompt, '--model', 'gemini-2.5-flash', '--approval-mode', 'yolo'],
    env: (api) => ({ GOOGLE_GEMINI_BASE_URL: api, GEMINI_API_KEY: 'none' }),
  },
  codex: {
    host: 'codex-user',
    words: (api) => [
      ...['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
      ...overrides({
        model: 'model',
        model_provider: 'recording',
        'model_providers.recording.name': 'recording',
        'model_providers.recording.base_url': api,
        'model_providers.recording.env_key': 'NO_KEY',
        'model_providers.recording.wire_api': 'responses',
        'mcp_servers.gateway.required': true,
      }),
      prompt,
    ],
    env: () => ({ NO_KEY: 'none' }),
  },
};

/**
 * @param {object} options
 * @param {string} options.folder - For the homes and the installs of the agents.
 * @param {Record<string, object>} options.gateways - Host server by the name of its transport.
 * @param {import('./tried.mjs').Tried} options.tried
 * @param {import('../report.mjs').Report} options.report
 * @param {string} options.installs - Folder that keeps installs.
 */
export async function tryAgents({ folder, gateways, tried, report, installs }) {
  for (const [family, agent] of Object.entries(agents)) {
    const program = programs.find((each) => each.family === family);
    const installed = await report.check(`${program.name}: npm install`, () =>
      installProgram(program, 'latest', installs),
    );
    if (installed === undefined) continue;
    const { check } = tried.begin(program.name, installed.version);
    for (const [way, server] of Object.entries(gateways)) {
      const place = await realpath(await mkdtemp(join(folder, `${family}-`)));
      await tryAgent({ program, agent, installed, server, place, check: (what, body) => check(way, what, body) });
    }
  }
}

async function tryAgent({ program, agent, installed, server, place, check }) {
  const api = await openRecordingApi(turnFor);
  try {
    const stdout = await check('starts', () => runAgent({ program, agent, installed, server, place, api }));
    if (stdout === undefined) return;
    await check('lists tools', () => requireTools(api.requests));
    await check('calls a tool', () => requireResult(api.requests, stdout));
  } finally {
    await api.close();
  }
}

async function runAgent({ program, agent, installed, server, place, api }) {
  const [home, project] = [join(place, 'home'), join(place, 'project')];
  await mkdir(home);
  await mkdir(project);
  const more = (await program.prepare?.({ home, project, web: api.url })) ?? {};
  if (agent.settings !== undefined) await writeSettings(home, agent.settings);
  const where = { platform: process.platform, env: {}, home };
  const { result } = await syncHosts([server], {
    hosts: [agent.host],
    place: where,
    stateDirectory: join(place, 'state'),
  });
  if (result === undefined) throw new Error('The gateway was not written into its config');
  const env = { PATH: installed.path, HOME: home, TERM: 'dumb', NO_COLOR: '1', ...more, ...agent.env(api.url) };
  const { stdout } = await run(installed.file, agent.words(api.url), { cwd: project, env, timeoutMs: 180_000 });
  return stdout;
}

/** A call of the echo, and a text once it has been called. Claude Code has a tool to wait for servers that still start. */
function turnFor({ wire, body }, before) {
  if (JSON.stringify(wire.results(body)).includes(echoed)) return { text: last };
  const tools = wire.definitions(body);
  const offered = tools.find(({ name }) => name.endsWith(echo));
  if (offered !== undefined) {
    const { name, namespace } = offered;
    return { call: name, ...(namespace !== undefined && { namespace }), args: { message: 'hello' } };
  }
  const canWait = before.length < patience && tools.some(({ name }) => name === waitTool);
  return canWait ? { call: waitTool, args: {} } : { text: 'There is no echo' };
}

function requireTools(requests) {
  const names = requests.flatMap(({ wire, body }) => wire.definitions(body).map(({ name }) => name));
  for (const wanted of [echo, search]) {
    if (!names.some((name) => name.endsWith(wanted)))
      throw new Error(`Its model gets no ${wanted}, but ${[...new Set(names)].join(', ')}`);
  }
}

function requireResult(requests, stdout) {
  const results = requests.flatMap(({ wire, body }) => wire.results(body));
  if (!JSON.stringify(results).includes(echoed))
    throw new Error(`Its model gets no result of the echo, but ${JSON.stringify(results)}`);
  if (!stdout.includes(last)) throw new Error(`It does not end with the model's text:\n${stdout}`);
}

async function writeSettings(home, files) {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), JSON.stringify(content));
  }
}

/** Codex reads each value as TOML. */
function overrides(values) {
  return Object.entries(values).flatMap(([key, value]) => ['--config', `${key}=${JSON.stringify(value)}`]);
}
