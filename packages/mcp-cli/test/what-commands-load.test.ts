import { mkdir, readdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { project, serversFile } from './helpers/project.js';
import { startMcpx } from './helpers/serving.js';
import { until } from './helpers/until.js';

// A file more costs a command more than what stands in it, and the libraries and the protocol SDK cost more than all of it.
const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const tellsLoaded = new URL('fixtures/tells-loaded.mjs', import.meta.url).href;
const tellsBuiltins = fileURLToPath(new URL('fixtures/tells-builtins.cjs', import.meta.url));
let stage: Awaited<ReturnType<typeof project>>;
let runs = 0;

beforeAll(async () => {
  stage = await project({ 'mcp_servers.yaml': serversFile([{ name: 'echo', server: 'echo' }]) });
  await mkdir(join(stage.folder, 'run'), { mode: 0o700 });
  await mcpx(['up']);
});

afterAll(async () => {
  await mcpx(['down', '--now']);
  await stage[Symbol.asyncDispose]();
});

test.each([[], ['--help'], ['-h'], ['help'], ['--version'], ['-V']])('mcpx %s loads one file', async (...words) => {
  const { files } = await filesLoadedBy(words);
  expect(files).toEqual(['bin.js']);
});

test.each([
  ['servers', ['status'], 'running'],
  ['search', ['search', 'echo'], 'mcp__echo__echo'],
  ['call', ['call', 'mcp__echo__echo', '{"text":"hello"}'], 'hello'],
  ['daemon', ['daemon', 'status'], 'runs as process'],
  ['completion', ['__complete', '--', 'start', ''], 'echo'],
])(
  'while the daemon answers, commands/%s.js loads what commands share and nothing else',
  async (name, words, answer) => {
    const { files, stdout } = await filesLoadedBy(words);
    expect(stdout).toContain(answer);
    const own = ['bin.js', `commands/${name}.js`, 'index.js'];
    const shared = files.filter((file) => file.startsWith('shared/chunk-'));
    expect(shared.length, 'what commands share belongs into the lists of tsup.config.ts').toBeLessThanOrEqual(2);
    expect(files).toEqual([...own, ...shared]);
  },
);

test.each([
  [{}, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, true],
])('mcpx serve with the variables %j loads telemetry: %j', async (env, isLoaded) => {
  const { files } = await filesLoadedBy(['serve', '--own-servers'], env);
  expect(files).toContain('commands/serve.js');
  expect(files.some((file) => /telemetry/.test(file))).toBe(isLoaded);
});

test('mcpx serve loads no library file by file', async () => {
  const { files } = await filesLoadedBy(['serve', '--own-servers']);
  expect(files).toContain('../../mcp-gateway/dist/index.js');
  expect(files.filter((file) => file.includes('node_modules'))).toEqual([]);
  expect(new Set(files).size, 'a file costs more than its contents').toBeLessThanOrEqual(140);
});

test('up and the daemon that it starts load no library file by file', async () => {
  await using fresh = await project({ 'mcp_servers.yaml': serversFile([{ name: 'echo', server: 'echo' }]) });
  const env = { XDG_RUNTIME_DIR: join(fresh.folder, 'run') };
  await mkdir(env.XDG_RUNTIME_DIR, { mode: 0o700 });
  const { files } = await filesLoadedBy(['up'], env, fresh.folder);
  await mcpx(['down', '--now'], env, fresh.folder);
  expect(files).toEqual(expect.arrayContaining(['bin.js', 'daemon-parent.js', 'daemon-worker.js']));
  expect(files.filter((file) => file.includes('node_modules'))).toEqual([]);
  expect(new Set(files).size, 'a file costs more than its contents').toBeLessThanOrEqual(25);
});

test('a daemon that has loaded the whole program reads no file of it later, unless it joins a fleet', async () => {
  await using fresh = await project({ 'mcp_servers.yaml': serversFile([{ name: 'echo', server: 'echo' }]) });
  const env = { XDG_RUNTIME_DIR: join(fresh.folder, 'run') };
  await mkdir(env.XDG_RUNTIME_DIR, { mode: 0o700 });
  const [loaded, resolved] = ['loaded.txt', 'resolved.txt'].map((name) => join(fresh.folder, name)) as [string, string];
  const told = { NODE_OPTIONS: `--import=${tellsLoaded}`, LOADED_MODULES: loaded, RESOLVED_IMPORTS: resolved };
  await mcpx(['up'], { ...told, ...env }, fresh.folder);
  const { logFile } = JSON.parse((await mcpx(['daemon', 'status', '--json'], env, fresh.folder)).stdout);
  await until(async () => (await readFile(logFile, 'utf8')).includes('the whole program is loaded'));
  await mcpx(['down', '--now'], env, fresh.folder);

  const worker = join(dist, 'worker');
  const files = (await readdir(worker)).filter((file) => file.endsWith('.js'));
  const texts = await Promise.all(
    files.map(async (file) => [file, await readFile(join(worker, file), 'utf8')] as const),
  );
  // With the importer: Node looks for a loaded file again if another file imports it.
  const late = texts.flatMap(([file, text]) =>
    Array.from(text.matchAll(/\bimport\("\.\/(.+?)"\)/g), ([, module]) => `${file} ./${module}`),
  );
  expect(late.length).toBeGreaterThan(20);
  const known = new Set(
    (await readFile(resolved, 'utf8')).split('\n').map((line) => basename(line.replace(' ./', ' '))),
  );
  const unread = [...new Set(late)].filter((line) => !known.has(line.replace(' ./', ' ')));
  // `src` are the packages of the fleet and of the gateway. The daemon reads no config together with its secrets.
  const leftOut = / \.\/(open-fleet-bus|src|resolve-secrets)-/;
  expect(unread.filter((line) => !leftOut.test(line))).toEqual([]);
});

test('a call loads no Node module that it does not use', async () => {
  const list = join(stage.folder, 'builtins.txt');
  const { stdout } = await mcpx(['call', 'mcp__echo__echo', '{"text":"hello"}'], {
    NODE_OPTIONS: `--require=${tellsBuiltins}`,
    LOADED_BUILTINS: list,
  });
  expect(stdout).toContain('hello');
  const loaded = (await readFile(list, 'utf8')).split('\n');
  expect(loaded).toContain('net');
  const useless = ['child_process', 'fs/promises', 'perf_hooks', 'readline', 'worker_threads'];
  expect(loaded.filter((name) => useless.includes(name))).toEqual([]);
});

test('no file of the build imports a Node module eagerly', async () => {
  const files = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith('.js'));
  const texts = await Promise.all(files.map((file) => readFile(join(dist, file), 'utf8')));
  const imported = texts.flatMap((text) =>
    Array.from(text.matchAll(/^import\b[^;]*['"]([^'"]+)['"];$/gm), ([, name = '']) => name),
  );
  expect(imported.length).toBeGreaterThan(50);
  expect(imported.filter(isBuiltin)).toEqual([]);
});

/** Modules that were loaded, by their place in `dist`, in order. What Node brings is not among them. */
async function filesLoadedBy(
  words: readonly string[],
  env: Record<string, string> = {},
  folder = stage.folder,
): Promise<{ files: readonly string[]; stdout: string }> {
  runs += 1;
  const list = join(stage.folder, `loaded-${runs}.txt`);
  const { stdout } = await mcpx(
    words,
    { NODE_OPTIONS: `--import=${tellsLoaded}`, LOADED_MODULES: list, ...env },
    folder,
  );
  const urls = (await readFile(list, 'utf8')).split('\n').filter((url) => url !== '' && !url.startsWith('node:'));
  const files = urls.map((url) => relative(dist, fileURLToPath(url)).replaceAll(sep, '/'));
  return { files: files.sort(), stdout };
}

async function mcpx(
  words: readonly string[],
  env: Record<string, string> = {},
  folder = stage.folder,
): Promise<{ stdout: string }> {
  await using process = startMcpx(folder, words, { XDG_RUNTIME_DIR: join(stage.folder, 'run'), ...env });
  process.child.stdin?.end();
  const { exitCode, stdout, stderr } = await process.ended();
  if (exitCode !== 0) throw new Error(`mcpx ${words.join(' ')} ended with ${exitCode}: ${stderr}`);
  return { stdout };
}
