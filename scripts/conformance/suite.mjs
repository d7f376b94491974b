import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { run } from '../run.mjs';

const version = '0.2.0-alpha.12';
const here = import.meta.dirname;

/** Installs the conformance suite, and a Node that is new enough for it. */
export async function installSuite(folder) {
  const packages = [`@modelcontextprotocol/conformance@${version}`, 'node@24'];
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, ...packages], { cwd: folder });
  const modules = join(folder, 'node_modules');
  return {
    node: join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node'),
    program: join(modules, '@modelcontextprotocol', 'conformance', 'dist', 'index.js'),
  };
}

/**
 * Lets the suite try one client, on the Node that this runs on.
 * @param {object} options
 * @param {string} options.client - A file of this folder.
 * @param {string[]} options.selection - Which scenarios: arguments of the suite.
 * @param {string} options.folder - Where the results are left.
 * @returns {Promise<Map<string, { checks: Map<string, string>, stderr: string }>>} By scenario. See `readChecks`.
 */
export async function tryClient({ node, program }, { client, selection, folder }) {
  const command = `"${process.execPath}" "${join(here, client)}"`;
  const preload = new URL('suite-servers.mjs', import.meta.url).href;
  // All scenarios run at once, each with a process of its own: a busy machine takes its time for that.
  const limits = ['--timeout', '120000'];
  const args = ['client', '--command', command, ...selection, ...limits, '--output-dir', folder];
  // It ends as a failure when any scenario does; which one is in the results.
  const said = await run(node, ['--import', preload, program, ...args], { cwd: here }).then(
    ({ stdout }) => stdout,
    ({ message }) => message,
  );
  const outcomes = await readOutcomes(folder);
  const [, count] = /\((\d+) scenarios\) in parallel/.exec(said) ?? [];
  if (outcomes.size === 0 || outcomes.size !== Number(count)) {
    throw new Error(`The suite left results of ${outcomes.size} scenarios out of ${count}:\n${said}`);
  }
  return outcomes;
}

async function readOutcomes(folder) {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  const folders = files.filter((file) => file.endsWith(`${sep}checks.json`)).map(dirname);
  const outcomes = folders.map(async (name) => {
    const scenario = name.replaceAll(sep, '/').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    const [checks, stdout, stderr] = await Promise.all(
      ['checks.json', 'stdout.txt', 'stderr.txt'].map((file) => readFile(join(folder, name, file), 'utf8')),
    );
    return [scenario, { checks: readChecks(JSON.parse(checks), { isDone: stdout.includes('done') }), stderr }];
  });
  return new Map((await Promise.all(outcomes)).toSorted());
}

const statuses = ['INFO', 'SKIPPED', 'SUCCESS', 'WARNING', 'FAILURE'];

/** The worst status under each name, and beside the suite's own checks whether the client came to its end. */
function readChecks(checks, { isDone }) {
  const worst = new Map([['client-finished', isDone ? 'SUCCESS' : 'INFO']]);
  for (const { id, status } of checks) {
    const known = worst.get(id);
    if (statuses.indexOf(status) > statuses.indexOf(known)) worst.set(id, status);
  }
  return worst;
}
