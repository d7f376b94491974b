// What a stranger gets: publishes the packages to a registry of our own, installs them from there into empty projects
// outside of this workspace, and uses them with npm on this Node. `--everywhere`: on the newer lines of Node, too, and with
// pnpm and both Yarns. `--write` checks in how large they are now.
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { catalogVersion } from './catalog.mjs';
import { startGuardedServer } from './consumer/guarded-server.mjs';
import { runReadme } from './consumer/run-readme.mjs';
import { packPackages } from './pack-packages.mjs';
import { startLocalRegistry } from './release/local-registry.mjs';
import { npmrc, otherPackageManagers } from './release/package-managers.mjs';
import { compareSizes, isMeasuredHere, measure } from './release/sizes.mjs';
import { Report } from './report.mjs';
import { root } from './root.mjs';
import { run } from './run.mjs';

const otherNodes = ['22', '24', '26'];
const moduleResolutions = [
  { name: 'nodenext', options: { module: 'nodenext', moduleResolution: 'nodenext' } },
  { name: 'bundler', options: { module: 'esnext', moduleResolution: 'bundler' } },
];
const programs = ['program', 'gateway', 'host-sync'];

const { values: options } = parseArgs({
  options: { everywhere: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});
const folder = await mkdtemp(join(tmpdir(), 'check-consumer-'));
const project = join(folder, 'project');
const report = new Report();
const registry = await startLocalRegistry(folder);
try {
  const packed = await report.check('pack, and publish to a local registry', packAndPublish);
  const isInstalled = packed && (await report.check('npm install into an empty project', () => install(packed)));
  if (isInstalled) {
    if (isMeasuredHere) await report.check('sizes', () => checkSizes(packed));
    await report.check('npm install of what compiles, of optional peers and of the SDK', () => installTools(packed));
    const entries = packed.flatMap(entriesOf);
    await report.check('the terminal lines of README, in an empty folder', () =>
      runReadme(folder, { name: packed[0].name, url: registry.url }),
    );
    await Promise.all([useProject(entries), options.everywhere && useOtherPackageManagers(packed, entries)]);
    if (options.everywhere) await useOtherNodes(entries);
  }
} finally {
  await registry.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
report.finish();

async function packAndPublish() {
  const packed = await packPackages(folder);
  for (const each of packed) await registry.publish(each);
  return packed;
}

async function install(packed) {
  await cp(join(root, 'scripts', 'consumer'), project, { recursive: true });
  await writeProject(project, packed);
  await npmInstall(project, []);
  return true;
}

async function checkSizes(packed) {
  const sizes = await Promise.all(packed.map(async (each) => [each.name, await measure(each, project)]));
  await compareSizes(Object.fromEntries(sizes), options);
}

async function installTools(packed) {
  const tools = ['typescript', '@types/node', '@modelcontextprotocol/client'].map(
    async (name) => `${name}@${await catalogVersion(name)}`,
  );
  await npmInstall(project, [...(await Promise.all(tools)), ...(await peersOf(packed))]);
}

async function useProject(entries) {
  await report.check('npm: import and require() of every entry', () => importEntries(process.execPath, entries));
  for (const { name, options } of moduleResolutions) {
    await report.check(`types with moduleResolution ${name}`, () => checkTypes(name, options));
  }
  await report.check('types in a project without Node and without `Disposable`', () =>
    checkTypes('web', { ...moduleResolutions[1].options, lib: ['es2022', 'dom'], types: [] }, ['web.ts']),
  );
  await report.check('the compiled programs', () => runPrograms(process.execPath));
  await report.check('an app with files, processes, HTTP and a sign-in', () => runApp(process.execPath));
  await report.check('an app with its own copy of the SDK', () => runApp(process.execPath, 'own-sdk.mjs'));
  await report.check('npx mcpx --help', showHelp);
  await report.check('mcpx: a daemon, calls, the dashboard, stdio', () => useMcpx(process.execPath));
  await report.check('mcpx: the servers of editors, without a config', () => useMcpx(process.execPath, 'use-editors'));
}

/** With what `useProject` has compiled. */
async function useOtherNodes(entries) {
  for (const version of otherNodes) {
    const node = await report.check(`Node ${version} from npm`, () => installNode(version));
    if (node === undefined) continue;
    await report.check(`Node ${version}: import and require() of every entry`, () => importEntries(node, entries));
    await report.check(`Node ${version}: the compiled programs`, () => runPrograms(node));
    await report.check(`Node ${version}: the app`, () => runApp(node));
    await report.check(`Node ${version}: mcpx`, () => useMcpx(node));
  }
}

async function useOtherPackageManagers(packed, entries) {
  const managers = await report.check('pnpm, Yarn 1 and Yarn 4', async () => {
    await mkdir(join(folder, 'managers'));
    return otherPackageManagers(join(folder, 'managers'));
  });
  for (const manager of managers ?? []) {
    await report.check(`${manager.name}: install, import of every entry, mcpx`, () =>
      useManager(manager, packed, entries),
    );
  }
}

async function useManager({ prepare, install, node, execute }, packed, entries) {
  const cwd = await mkdtemp(join(folder, 'managed-'));
  await writeProject(cwd, packed, await peersOf(packed));
  await cp(join(root, 'scripts', 'consumer', 'import-entries.mjs'), join(cwd, 'import-entries.mjs'));
  await prepare?.(cwd, { name: packed[0].name, url: registry.url });
  await install(cwd);
  await node(cwd, ['import-entries.mjs', ...entries]);
  const { version } = packed.find(({ name }) => name === '@x/mcp-cli').manifest;
  const { stdout } = await execute(cwd, ['mcpx', '--version']);
  if (stdout.trim() !== version) throw new Error(`mcpx ${version} says that it is ${stdout}`);
}

/** An empty project that asks for our packages, each at the version that was published, and for `more`. */
async function writeProject(cwd, packed, more = []) {
  const ours = packed.map(({ name, manifest }) => [name, manifest.version]);
  const others = more.map((spec) => [spec.slice(0, spec.lastIndexOf('@')), spec.slice(spec.lastIndexOf('@') + 1)]);
  const dependencies = Object.fromEntries([...ours, ...others]);
  const manifest = { name: 'consumer', private: true, type: 'module', dependencies };
  await writeFile(join(cwd, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(cwd, '.npmrc'), npmrc({ name: packed[0].name, url: registry.url }));
}

/** What can be imported from a package, its data apart. */
function entriesOf({ name, manifest }) {
  const subpaths = Object.keys(manifest.exports).filter((subpath) => !subpath.endsWith('.json'));
  return subpaths.map((subpath) => name + subpath.slice(1));
}

/** In the versions that the packages are tested with: the newest of a range may want another Node. */
function peersOf(packed) {
  const versions = packed.flatMap(({ manifest: { peerDependencies = {}, devDependencies = {} } }) =>
    Object.entries(peerDependencies).map(([name, range]) => [name, devDependencies[name] ?? range]),
  );
  return Promise.all(
    versions.map(async ([name, version]) => `${name}@${version === 'catalog:' ? await catalogVersion(name) : version}`),
  );
}

async function importEntries(node, entries) {
  await run(node, ['import-entries.mjs', ...entries], { cwd: project, timeoutMs: 60_000 });
}

async function checkTypes(name, options, files = programs.map((program) => `${program}.ts`)) {
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable'],
    types: ['node'],
    ...options,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    rootDir: '.',
    outDir: `out-${name}`,
  };
  const file = `tsconfig.${name}.json`;
  await writeFile(join(project, file), JSON.stringify({ compilerOptions, files }));
  await run(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc'), '--project', file], { cwd: project });
}

async function runPrograms(node) {
  for (const program of programs) {
    await run(node, [join('out-nodenext', `${program}.js`)], { cwd: project, timeoutMs: 60_000 });
  }
}

async function runApp(node, app = 'app.mjs') {
  const server = await startGuardedServer();
  try {
    const env = { ...process.env, ISSUER: server.origin };
    await run(node, [app], { cwd: project, env, timeoutMs: 60_000 });
  } finally {
    server.close();
  }
}

async function showHelp() {
  const { stdout } = await run('npx', ['--no-install', 'mcpx', '--help'], { cwd: project, timeoutMs: 60_000 });
  if (!/usage: mcpx/i.test(stdout)) throw new Error(`The help does not begin with how mcpx is used:\n${stdout}`);
}

async function useMcpx(node, program = 'use-mcpx') {
  await run(node, [`${program}.mjs`], { cwd: project, timeoutMs: 60_000 });
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
