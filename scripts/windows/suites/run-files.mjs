// Runs bundled test files with Vitest's own runner, without the native parts of Vitest. Bundled itself, so that files and
// runner share one copy of Vitest. Writes a report after each file.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TestRunner } from 'vitest';
import { startTests } from 'vitest/internal/browser';

const [planFile, reportFile] = process.argv.slice(2);
/** Bundles by test file, and what tests inject. */
const { bundles, provided } = JSON.parse(readFileSync(planFile, 'utf8'));

/** Reads snapshots that are files of their own, and writes none. */
const snapshotEnvironment = {
  getVersion: () => '1',
  getHeader: () => '',
  resolvePath: async (path) => `${path}.snap`,
  resolveRawPath: async (test, path) => resolve(dirname(test), path),
  readSnapshotFile: async (path) => (existsSync(path) ? readFileSync(path, 'utf8') : null),
};

/** Under Wine on a busy machine, some tests take minutes. */
const timeoutMs = 600_000;
const config = {
  root: process.cwd(),
  allowOnly: false,
  passWithNoTests: true,
  setupFiles: [],
  maxConcurrency: 5,
  testTimeout: timeoutMs,
  hookTimeout: timeoutMs,
  retry: 0,
  repeats: 0,
  tags: [],
  sequence: { shuffle: false, concurrent: false, seed: 1, hooks: 'stack', setupFiles: 'list' },
  expect: {},
  snapshotOptions: { updateSnapshot: 'none', snapshotEnvironment },
  experimental: { viteModuleRunner: false, importDurations: { limit: 0 } },
};
globalThis.__vitest_worker__ = {
  config,
  providedContext: provided,
  ctx: { pool: 'forks' },
  environment: { name: 'node' },
  metaEnv: process.env,
  resolvingModules: new Set(),
  evaluatedModules: { idToModuleMap: new Map() },
  onCleanup: () => undefined,
};

class Runner extends TestRunner {
  constructor() {
    super(config);
    this.__setTraces({ $: (_name, options, body = options) => body({ setAttribute: () => undefined }) });
  }

  importFile(path) {
    return import(pathToFileURL(bundles[path]).href);
  }

  async onAfterRunSuite(suite) {
    if ('filepath' in suite) await this.snapshotClient.finish(suite.file.filepath);
  }
}

const results = [];
let strays = [];
process.on('unhandledRejection', (error) =>
  strays.push({ name: 'no promise is forgotten', problem: textOf(error ?? {}) }),
);
setInterval(() => undefined, 60_000); // a test may wait for what does not keep the process alive
for (const file of Object.keys(bundles)) {
  const [ran] = await startTests([file], new Runner());
  const tasks = tasksIn(ran);
  const tests = tasks.filter(({ task }) => task.type === 'test');
  // A group has errors of its own if its hooks fail, which skip its tests.
  const failed = [{ name: 'the file is loaded', task: ran }, ...tasks]
    .filter(({ task }) => task.result?.state === 'fail' && (task.type === 'test' || task.result.errors?.length > 0))
    .map(({ name, task }) => ({ name, problem: (task.result.errors ?? []).map(textOf).join('\n') }));
  await new Promise(setImmediate); // a promise that nobody waits for is reported in the next turn
  const [passed, skipped] = ['pass', 'skip'].map((state) => tests.filter(({ task }) => stateOf(task) === state).length);
  results.push({ file, passed, skipped, failed: [...failed, ...strays] });
  strays = [];
  writeFileSync(reportFile, JSON.stringify(results));
}
process.exit();

/** The tests and groups. */
function tasksIn({ tasks }, above = '') {
  return tasks.flatMap((task) => {
    const name = above + task.name;
    return [{ name, task }, ...(task.type === 'suite' ? tasksIn(task, `${name} › `) : [])];
  });
}

/** A test that is skipped before it runs has no result. */
function stateOf({ result, mode }) {
  return result?.state ?? mode;
}

function textOf({ stack, message, diff, suppressed }) {
  // The stack of a test that took too long is that of its declaration.
  const own = stack?.includes(message) ? stack : `${message}\n${stack}`;
  // A disposal that fails has the failure of the test beside its own.
  return [own, diff, suppressed?.message].filter(Boolean).join('\n');
}
