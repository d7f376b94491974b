// How many of the fixture files survive byte for byte when a server is added to them: ours beside installed peers.
// Run: node bench/host-bytes.mjs   (builds are expected; peers are installed into a temporary folder from npm)
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isHostFileError, syncHosts } from '../packages/mcp-host-sync/dist/index.js';
import { printConditions, printTable } from './measurement.mjs';
import { installerPeers, installPeers, versionOf } from './peers.mjs';

const run = promisify(execFile);
const fixturesFolder = fileURLToPath(new URL('../packages/mcp-host-sync/test/fixtures/hosts/', import.meta.url));
const { folder: peers } = installPeers(installerPeers, { ignoreScripts: true });

const rulerConfig = '[mcp_servers.demo]\ncommand = "npx"\nargs = ["-y", "demo-mcp"]\n';

/** What each peer calls the host of a fixture; a peer that does not know the host is not asked. */
const names = {
  'antigravity-user': { addMcp: ['antigravity', '-g'], ruler: 'antigravity' },
  'claude-code-project': { addMcp: ['claude-code'], installMcp: ['claude-code', '--local'], ruler: 'claude' },
  'claude-code-user': { addMcp: ['claude-code', '-g'], installMcp: ['claude-code'] },
  'claude-desktop': { addMcp: ['claude-desktop', '-g'], installMcp: ['claude'] },
  'cline-user': { addMcp: ['cline', '-g'], installMcp: ['cline'] },
  'codex-user': { addMcp: ['codex', '-g'], installMcp: ['codex'], ruler: 'codex' },
  'continue-user': {},
  'copilot-cli-user': { addMcp: ['github-copilot-cli', '-g'] },
  'crush-project': { ruler: 'crush' },
  'cursor-project': { addMcp: ['cursor'], installMcp: ['cursor', '--local'], ruler: 'cursor' },
  'devin-desktop-user': {},
  'factory-project': { ruler: 'factory' },
  'gemini-cli-user': { addMcp: ['gemini-cli', '-g'], installMcp: ['gemini-cli'], ruler: 'gemini-cli' },
  'kilo-project': { addMcp: ['kilo-code'], ruler: 'kilocode' },
  'kiro-project': { addMcp: ['kiro-cli'], ruler: 'kiro' },
  'opencode-project': { addMcp: ['opencode'], installMcp: ['opencode', '--local'], ruler: 'opencode' },
  'roo-project': { installMcp: ['roo-cline'], ruler: 'roo' },
  'visual-studio-solution': {},
  'vscode-project': { addMcp: ['vscode'], installMcp: ['vscode', '--local'], ruler: 'copilot' },
  'windsurf-user': { addMcp: ['windsurf', '-g'], installMcp: ['windsurf'], ruler: 'windsurf' },
};

await report({
  ours: addWithOurs,
  'add-mcp': addWith(({ addMcp }) => addMcp && ['add-mcp', 'npx -y demo-mcp', '-y', '-n', 'demo', '-a', ...addMcp]),
  'install-mcp': addWith(({ installMcp }) => {
    const options = ['-y', '--oauth', 'no', '--name', 'demo', '--client'];
    return installMcp && ['install-mcp', 'npx -y demo-mcp', ...options, ...installMcp];
  }),
  ruler: addWith(({ ruler }) => {
    const options = ['--no-gitignore', '--no-backup', '--local-only', '--no-skills'];
    return ruler && ['ruler', 'apply', '--agents', ruler, ...options];
  }),
});

async function report(contenders) {
  const fixtures = (await readdir(fixturesFolder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const columns = Object.keys(contenders);
  const totals = Object.fromEntries(columns.map((column) => [column, { kept: 0, tried: 0 }]));
  const rows = [];
  for (const { name } of fixtures) {
    const cells = [];
    for (const column of columns) {
      const verdict = await judge(name, contenders[column]);
      if (verdict !== '–') totals[column].tried += 1;
      if (verdict === 'kept') totals[column].kept += 1;
      cells.push(verdict);
    }
    rows.push([name, ...cells]);
  }
  const sums = columns.map((column) => `${totals[column].kept}/${totals[column].tried}`);
  printTable('What became of the bytes that were there before', [
    ['fixture', ...columns],
    ...rows,
    ['kept, of those tried', ...sums],
  ]);
  printConditions({ how: [], peers: Object.keys(installerPeers).map((name) => `${name} ${versionOf(peers, name)}`) });
}

/** `kept`: the server was added and every byte that was there before still is, in the same order. */
async function judge(fixture, add) {
  const meta = JSON.parse(await readFile(join(fixturesFolder, fixture, 'meta.json'), 'utf8'));
  const before = await readFile(join(fixturesFolder, fixture, meta.before));
  const place = await newPlace();
  try {
    const after = await add(fixture, meta, before, place).catch((error) => {
      // A host of Windows alone has no place here; the tests run its fixture without a disk.
      if (isHostFileError(error) && error.code === 'invalid-location') return undefined;
      throw error;
    });
    if (after === undefined) return '–';
    if (!after.includes('demo-mcp')) return 'not added';
    return isKept(before, after) ? 'kept' : 'changed';
  } finally {
    await rm(place.root, { recursive: true, force: true });
  }
}

function isKept(before, after) {
  let next = 0;
  for (const byte of after) if (next < before.length && byte === before[next]) next += 1;
  return next === before.length;
}

async function addWithOurs(_fixture, meta, before, place) {
  const demo = { name: 'demo', transport: 'stdio', command: 'npx', args: ['-y', 'demo-mcp'], env: {} };
  const sync = () =>
    syncHosts([demo], {
      hosts: [meta.host],
      place: { platform: 'linux', env: {}, home: place.home, project: place.project },
      stateDirectory: place.state,
    });
  return addTwice(place, before, async () => void (await sync()));
}

function addWith(commandFor) {
  return async (fixture, _meta, before, place) => {
    const command = commandFor(names[fixture] ?? {});
    if (!command) return undefined;
    const [program, ...args] = command;
    return addTwice(place, before, async () => {
      await writeFiles(place.project, { '.ruler/AGENTS.md': 'x\n', '.ruler/ruler.toml': rulerConfig });
      await run(join(peers, 'node_modules', '.bin', program), args, {
        cwd: place.project,
        env: { PATH: process.env.PATH, HOME: place.home, XDG_CONFIG_HOME: join(place.home, '.config') },
        timeout: 60_000,
      }).catch(() => undefined); // what counts is the file that it leaves
    });
  };
}

/** Once into nothing, to see which file the program writes; then the fixture is put there, and once more. */
async function addTwice(place, before, add) {
  await add();
  const file = await findFileWith('demo-mcp', place);
  if (file === undefined) return Buffer.from('');
  await rm(place.root, { recursive: true, force: true });
  await mkdir(dirname(file), { recursive: true });
  await mkdir(place.project, { recursive: true });
  await mkdir(place.home, { recursive: true });
  if (before.length > 0) await writeFile(file, before);
  await add();
  return readFile(file).catch(() => Buffer.from(''));
}

async function findFileWith(text, { home, project }) {
  for (const folder of [home, project]) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (!entry.isFile() || relative(project, file).startsWith('.ruler')) continue;
      if (/npm|cache/i.test(relative(folder, file).split('/')[0] ?? '')) continue;
      if ((await readFile(file, 'utf8')).includes(text)) return file;
    }
  }
  return undefined;
}

async function newPlace() {
  const root = await mkdtemp(join(tmpdir(), 'mcp-bench-'));
  const place = { root, home: join(root, 'home'), project: join(root, 'project'), state: join(root, 'state') };
  await mkdir(place.home);
  await mkdir(place.project);
  return place;
}

async function writeFiles(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}
