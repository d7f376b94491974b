// What a stranger gets: packs the published packages, installs the tarballs with plain npm into an empty project outside
// of this workspace, and uses them there, on this Node and on the newer lines.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packPackages, root } from './pack-packages.mjs';
import { Report } from './report.mjs';
import { run } from './run.mjs';

const otherNodes = ['22', '24', '26'];
const moduleResolutions = [
  { name: 'nodenext', options: { module: 'nodenext', moduleResolution: 'nodenext' } },
  { name: 'bundler', options: { module: 'esnext', moduleResolution: 'bundler' } },
];

const folder = await mkdtemp(join(tmpdir(), 'check-consumer-'));
const project = join(folder, 'project');
const report = new Report();
try {
  const packed = await report.check('pack', () => packPackages(folder));
  const isInstalled = packed && (await report.check('npm install into an empty project', () => install(packed)));
  if (isInstalled) await useProject(packed.flatMap(entriesOf));
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
report.finish();

async function install(packed) {
  await cp(join(root, 'scripts', 'consumer'), project, { recursive: true });
  const manifest = { name: 'consumer', private: true, type: 'module' };
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
  const tools = [
    `typescript@${await catalogVersion('typescript')}`,
    `@types/node@${await catalogVersion('@types/node')}`,
  ];
  await npmInstall(
    project,
    packed.map(({ tarball }) => tarball),
  );
  await npmInstall(project, ['--save-dev', ...tools]);
  // Optional to those who install, and needed by the entries that are for them.
  await npmInstall(project, packed.flatMap(peersOf));
  return true;
}

async function useProject(entries) {
  const specifiers = entries.join(' ');
  await report.check(`import and require() of ${specifiers}`, () => importEntries(process.execPath, entries));
  for (const { name, options } of moduleResolutions) {
    await report.check(`types with moduleResolution ${name}`, () => checkTypes(name, options));
  }
  await report.check('the compiled program', () => runProgram(process.execPath));
  await report.check('npx mcpx --help', showHelp);
  await report.check('mcpx: a daemon, calls, the dashboard, stdio', () => useMcpx(process.execPath));
  for (const version of otherNodes) {
    const node = await report.check(`Node ${version} from npm`, () => installNode(version));
    if (node === undefined) continue;
    await report.check(`Node ${version}: import and require() of ${specifiers}`, () => importEntries(node, entries));
    await report.check(`Node ${version}: the compiled program`, () => runProgram(node));
    await report.check(`Node ${version}: mcpx`, () => useMcpx(node));
  }
}

/** What can be imported from a package, its data apart. */
function entriesOf({ name, manifest }) {
  const subpaths = Object.keys(manifest.exports).filter((subpath) => !subpath.endsWith('.json'));
  return subpaths.map((subpath) => name + subpath.slice(1));
}

function peersOf({ manifest }) {
  return Object.entries(manifest.peerDependencies ?? {}).map(([name, range]) => `${name}@${range}`);
}

async function importEntries(node, entries) {
  await run(node, ['import-entries.mjs', ...entries], { cwd: project, timeoutMs: 60_000 });
}

async function checkTypes(name, options) {
  const compilerOptions = {
    ...options,
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    rootDir: '.',
    outDir: `out-${name}`,
  };
  const file = `tsconfig.${name}.json`;
  await writeFile(join(project, file), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  await run(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc'), '--project', file], { cwd: project });
}

async function runProgram(node) {
  await run(node, [join('out-nodenext', 'program.js')], { cwd: project, timeoutMs: 60_000 });
}

async function showHelp() {
  const { stdout } = await run('npx', ['--no-install', 'mcpx', '--help'], { cwd: project, timeoutMs: 60_000 });
  if (!/usage: mcpx/i.test(stdout)) throw new Error(`The help does not begin with how mcpx is used:\n${stdout}`);
}

async function useMcpx(node) {
  await run(node, ['use-mcpx.mjs'], { cwd: project, timeoutMs: 60_000 });
}

/** Installs a Node line from the npm registry and resolves with the path of its binary. */
async function installNode(version) {
  const target = join(folder, `node-${version}`);
  await mkdir(target);
  await writeFile(join(target, 'package.json'), JSON.stringify({ private: true }));
  await npmInstall(target, ['--no-save', `node@${version}`]);
  const node = join(target, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  const { stdout } = await run(node, ['--version']);
  if (!stdout.startsWith(`v${version}.`)) throw new Error(`Asked for Node ${version} and got ${stdout}`);
  return node;
}

async function npmInstall(cwd, args) {
  await run('npm', ['install', '--no-audit', '--no-fund', ...args], { cwd });
}

/** The version of a tool that the workspace itself uses. */
async function catalogVersion(name) {
  const text = await readFile(join(root, 'pnpm-workspace.yaml'), 'utf8');
  const version = new RegExp(`^  '?${name}'?: (.+)$`, 'm').exec(text)?.[1];
  if (version === undefined) throw new Error(`pnpm-workspace.yaml has no ${name} in its catalog`);
  return version;
}
