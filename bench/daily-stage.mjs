// What a day with `mcpx` and its peers runs on: a home for each, twelve servers, and three editors that name twelve more.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packagePath } from './own-packages.mjs';

const server = fileURLToPath(new URL('minimal-server.mjs', import.meta.url));

/** The command lines, by name. */
export function commandLines(peers) {
  const bin = (name) => {
    const { bin: given } = JSON.parse(readFileSync(join(peers, 'node_modules', name, 'package.json'), 'utf8'));
    return join(peers, 'node_modules', name, typeof given === 'string' ? given : Object.values(given)[0]);
  };
  return {
    mcpx: packagePath('mcp-cli', 'bin.js'),
    mcporter: bin('mcporter'),
    'mcp-hub': bin('mcp-hub'),
    'mcp-use': bin('@mcp-use/cli'),
  };
}

/** A folder with a home in it. `run` resolves to what the command has printed, also when it failed; `onText` gets it as it comes. */
export function stageWith(files) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-daily-'));
  const home = join(folder, 'home');
  const all = { 'home/.keep': '', 'run/.keep': '', ...files(folder) };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof text === 'string' ? text : JSON.stringify(text));
  }
  chmodSync(join(folder, 'run'), 0o700);
  const env = {
    PATH: process.env.PATH,
    MCPX_TRUST: '1',
    HOME: home,
    XDG_RUNTIME_DIR: join(folder, 'run'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_STATE_HOME: join(home, 'state'),
  };
  const runIn = async (args, onText = () => undefined) => {
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 120_000,
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
        onText(text);
      });
    await once(child, 'close');
    return text;
  };
  return { folder, env, run: runIn };
}

/** A server that answers; its last argument makes it findable among the processes. */
export function entry(mark, fields = {}) {
  return { command: process.execPath, args: [server, mark], ...fields };
}

const twelve = Array.from({ length: 12 }, (_, number) => `s${number}`);
const each = (make) => Object.fromEntries(twelve.map((name) => [name, make(name)]));

/** Configs of twelve servers for each of the programs; the last argument of a server is its program. */
export function configsOf(folder) {
  return {
    'mcp_servers.yaml': { mcp_servers: each(() => entry(`${folder}/mcpx`, { auto_start: true })) },
    'config/mcporter.json': {
      mcpServers: each(() => entry(`${folder}/mcporter`, { lifecycle: 'keep-alive' })),
      imports: [],
    },
    'hub.json': { mcpServers: each(() => entry(`${folder}/mcp-hub`)) },
  };
}

/** Ends at once without a token that looks like one. */
function guarded(mark, token) {
  const program = `/^token-/.test(process.env.TOKEN) ? import(${JSON.stringify(pathToFileURL(server).href)}) : process.exit(1)`;
  return { command: process.execPath, args: ['-e', program, mark], env: { TOKEN: token } };
}

/**
 * Three editors with twelve servers: eight answer, two do not start without a token that is an unset variable or an input of
 * VS Code, one has no program, and one has a dead address.
 */
export function editorsOf(folder) {
  const good = (name) => entry(folder, { env: { NAME: name } });
  return {
    'home/.cursor/mcp.json': {
      mcpServers: {
        files: good('files'),
        memory: good('memory'),
        thinking: good('thinking'),
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the editor
        github: guarded(folder, '${env:BENCH_UNSET_TOKEN}'),
        broken: { command: 'no-such-program-of-the-bench', args: [] },
      },
    },
    'home/.config/Code/User/mcp.json': {
      inputs: [{ id: 'token', type: 'promptString', description: 'A token', password: true }],
      servers: {
        docs: { type: 'stdio', ...good('docs') },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: an input of the editor
        notion: { type: 'stdio', ...guarded(folder, '${input:token}') },
        linear: { type: 'http', url: 'http://127.0.0.1:9/mcp' },
      },
    },
    'home/.claude.json': {
      mcpServers: { browser: good('browser'), tests: good('tests'), search: good('search'), mail: good('mail') },
    },
  };
}
