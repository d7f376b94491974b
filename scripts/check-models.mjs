// The formats of model APIs with the SDKs that people use: each SDK at the newest version of every major that we support
// and at the oldest that the guide names. A program of an app is checked by the compiler and runs from the packed packages
// against a server that plays the provider's API: a tool's text and PNG go through the real SDK into a recorded request.
// Fails as well when the registry has a major version that is not in models/sdks.json. Needs the npm registry.
//
// `node scripts/check-models.mjs ai openai` checks the named SDKs alone. `--write` records the results of all SDKs in
// docs/works-with.json and writes docs/works-with.md.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { catalogVersion } from './catalog.mjs';
import { expectationOf, picture } from './models/expectations.mjs';
import { openRecordingApi } from './models/recording-api.mjs';
import { packPackages } from './pack-packages.mjs';
import { Report } from './report.mjs';
import { root } from './root.mjs';
import { run } from './run.mjs';
import { recordWorksWith } from './works-with/results.mjs';

/** An install keeps one processor busy, and there are at least two. */
const atATime = 2;
/** For SDKs that want a newer Node than this one. */
const newerNode = 'node@24';
const compilerOptions = {
  target: 'es2023',
  lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable'],
  types: ['node'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  // The SDKs' declarations are theirs to check; check:consumer checks ours.
  skipLibCheck: true,
  outDir: 'out',
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } });
if (values.write && positionals.length > 0) throw new Error('--write records all SDKs. Leave out the names.');
const sdks = await readSdks(positionals);
const folder = await mkdtemp(join(tmpdir(), 'check-models-'));
const report = new Report();
try {
  const isReady = await report.check('pack, and npm install of the packages', prepare);
  const cases = isReady ? sdks.flatMap(casesOf) : [];
  const waiting = [...cases];
  await Promise.all(Array.from({ length: atATime }, () => checkAll(waiting)));
  for (const each of sdks) await report.check(`${each.sdk}: the newest major version is known`, () => checkMajor(each));
  if (values.write && isReady)
    await recordWorksWith(
      'models',
      cases.flatMap(({ results }) => results ?? []),
    );
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
report.finish();

async function readSdks(wanted) {
  const all = JSON.parse(await readFile(join(root, 'scripts/models/sdks.json'), 'utf8'));
  const names = all.map(({ sdk }) => sdk);
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`There is no SDK "${unknown}" here; there are ${names.join(', ')}`);
  return wanted.length > 0 ? all.filter(({ sdk }) => wanted.includes(sdk)) : all;
}

/** Programs find the packages, the compiler and the newer Node in the folder above their own. */
async function prepare() {
  const packed = await packPackages(join(folder, 'packed'));
  const tarballs = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]));
  const dependencies = {
    '@x/mcp': tarballs['@x/mcp'],
    node: newerNode.slice('node@'.length),
    typescript: await catalogVersion('typescript'),
    '@types/node': await catalogVersion('@types/node'),
  };
  // The packages need one another, and none is published yet.
  await writeProject(folder, { dependencies, overrides: tarballs });
  await npmInstall(folder);
  return true;
}

function casesOf({ sdk, majors, programs }) {
  return Object.entries(majors).flatMap(([major, { oldest, with: others = {}, deferred = [] }]) => {
    const othersAt = (key) => Object.fromEntries(Object.entries(others).map(([name, each]) => [name, each[key]]));
    return [
      {
        name: `${sdk} ${major}`,
        sdk,
        programs: [...programs, ...deferred],
        dependencies: { [sdk]: major, ...othersAt('major') },
      },
      { name: `${sdk} ${oldest}`, sdk, programs, dependencies: { [sdk]: oldest, ...othersAt('oldest') } },
    ];
  });
}

async function checkAll(cases) {
  for (let each = cases.shift(); each !== undefined; each = cases.shift()) await checkCase(each);
}

/** Leaves the results in the case. */
async function checkCase(tried) {
  const { name, sdk, dependencies, programs } = tried;
  const project = join(folder, name.replaceAll(/\W+/g, '-'));
  const node = await report.check(`${name}: npm install`, async () => {
    await mkdir(project);
    await writeProject(project, { dependencies });
    await npmInstall(project);
    return nodeFor(project, sdk);
  });
  if (node === undefined) return;
  const passed = [];
  for (const program of programs) {
    const isCompiled = await report.check(`${name}: ${program} compiles`, () => compile(project, program));
    const hasRun =
      isCompiled && (await report.check(`${name}: ${program} runs`, () => runProgram(project, program, node)));
    if (hasRun) passed.push(program);
  }
  tried.results = await resultsOf({ project, sdk, dependencies, programs, passed });
}

/** As docs/works-with.json has them. */
async function resultsOf({ project, sdk, dependencies, programs, passed }) {
  const versionOf = async (name) =>
    JSON.parse(await readFile(join(project, 'node_modules', name, 'package.json'), 'utf8')).version;
  const others = Object.keys(dependencies).filter((name) => name !== sdk);
  const withOthers = await Promise.all(others.map(async (name) => `\`${name}\` ${await versionOf(name)}`));
  return {
    program: `\`${sdk}\``,
    version: [await versionOf(sdk), ...(withOthers.length > 0 ? [withOthers.join(' and ')] : [])].join(' with '),
    tried: { 'compiled and run': programs },
    failed: programs.filter((program) => !passed.includes(program)),
  };
}

/** The Node that runs this, or the newer one if the SDK wants it. */
async function nodeFor(project, sdk) {
  const { engines } = JSON.parse(await readFile(join(project, 'node_modules', sdk, 'package.json'), 'utf8'));
  const wanted = Number(/\d+/.exec(engines?.node ?? '')?.[0] ?? 0);
  if (wanted <= Number.parseInt(process.versions.node, 10)) return process.execPath;
  return join(folder, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

async function compile(project, program) {
  const files = ['app.ts', `${program}.ts`];
  for (const file of files) await cp(join(root, 'scripts/models/programs', file), join(project, file));
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  await run(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc')], { cwd: project });
  return true;
}

async function runProgram(project, program, node) {
  const { turns, expect } = expectationOf(program);
  const api = await openRecordingApi((_request, before) => turns[before.length]);
  try {
    const env = { ...process.env, MODEL_API: api.url, PICTURE: picture };
    const { stdout } = await run(node, [join('out', `${program}.js`)], { cwd: project, env, timeoutMs: 60_000 });
    expect(api.requests, stdout);
    return true;
  } finally {
    await api.close();
  }
}

async function checkMajor({ sdk, majors }) {
  const { stdout } = await run('npm', ['view', sdk, 'version'], { cwd: folder });
  const major = stdout.trim().split('.')[0];
  if (major in majors) return;
  const known = Object.keys(majors).join(', ');
  throw new Error(`The registry has ${sdk} ${stdout.trim()}, and models/sdks.json knows ${known}; try it and add it`);
}

async function writeProject(cwd, manifest) {
  await writeFile(join(cwd, 'package.json'), JSON.stringify({ private: true, type: 'module', ...manifest }));
}

async function npmInstall(cwd) {
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], { cwd });
}
