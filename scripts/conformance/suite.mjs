import { cp, readdir, readFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { run } from '../run.mjs';
import { Slots } from '../slots.mjs';
import { worstStatuses } from './checks.mjs';

export const version = '0.2.0-alpha.12';
const here = import.meta.dirname;
const clientsAtATime = 4;

const tmcp = ['tmcp@1.20.0', '@tmcp/transport-http@0.9.0', '@tmcp/transport-stdio@0.5.0'];

/** Installs the conformance suite, a Node that is new enough for it, and the independent server beside what it is made of. */
export async function installSuite(folder) {
  const packages = [`@modelcontextprotocol/conformance@${version}`, 'node@24', ...tmcp];
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, ...packages], { cwd: folder });
  const modules = join(folder, 'node_modules');
  const independentServer = join(folder, 'independent-server.mjs');
  await cp(join(here, 'independent-server.mjs'), independentServer);
  return {
    independentServer,
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
 * @returns {Promise<Map<string, { checks: Map<string, string>, stderr: string }>>} By scenario. Beside the suite's own
 *   checks there is one more: whether the client came to its end.
 */
export async function tryClient({ node, program }, { client, selection, folder }) {
  const command = `"${process.execPath}" "${join(here, client)}"`;
  const preload = new URL('suite-servers.mjs', import.meta.url).href;
  const args = ['--import', preload, program, 'client', '--command', command];
  const slots = new Slots(clientsAtATime);
  const selections = await selectionsOf(selection, { node, program });
  const runs = selections.map((selected, index) =>
    slots.use(() => runSuite(node, [...args, ...selected], join(folder, String(index)))),
  );
  const results = (await Promise.all(runs)).flat();
  const outcomes = results.map(async ({ name, path, checks }) => {
    const [stdout, stderr] = await Promise.all(
      ['stdout.txt', 'stderr.txt'].map((file) => readFile(join(path, file), 'utf8')),
    );
    const ending = { id: 'client-finished', status: stdout.includes('done') ? 'SUCCESS' : 'INFO' };
    return [name, { checks: worstStatuses([ending, ...checks]), stderr }];
  });
  return new Map(await Promise.all(outcomes));
}

/** The suite starts the clients of a revision all at once; its servers then respond later than clients wait for them. */
async function selectionsOf(selection, { node, program }) {
  const [, version] = /--spec-version (.+)/.exec(selection.join(' ')) ?? [];
  if (version === undefined) return [selection];
  const { stdout } = await run(node, [program, 'list', '--client', '--spec-version', version], { cwd: here });
  return Array.from(stdout.matchAll(/^ +- (\S+) \[/gm), ([, scenario]) => [
    '--scenario',
    scenario,
    '--spec-version',
    version,
  ]);
}

/**
 * Lets the suite try one server.
 * @param {object} options
 * @param {string} options.url - Where it answers, on this machine.
 * @param {string[]} options.selection - Which scenarios: arguments of the suite.
 * @param {string} options.folder - Where the results are left.
 * @returns {Promise<Map<string, { id: string, status: string, errorMessage?: string }[]>>} The checks, by scenario.
 */
export async function tryServer({ node, program }, { url, selection, folder }) {
  const results = await runSuite(node, [program, 'server', '--url', url, ...selection], folder);
  return new Map(results.map(({ name, checks }) => [name.replace(/^server-/, ''), checks]));
}

/** Runs the suite and reads what it left of each scenario, sorted by name. */
async function runSuite(node, args, folder) {
  // A busy machine takes its time, and clients are all tried at once, each with a process of its own.
  const limits = ['--timeout', '120000'];
  // It ends as a failure when any scenario does; which one is in the results.
  const said = await run(node, [...args, ...limits, '--output-dir', folder], { cwd: here }).then(
    ({ stdout }) => stdout,
    ({ message }) => message,
  );
  const results = await readResults(folder);
  const [, count = args.includes('--scenario') ? 1 : undefined] = /\((\d+) scenarios\)/.exec(said) ?? [];
  if (results.length === 0 || results.length !== Number(count)) {
    throw new Error(`The suite left results of ${results.length} scenarios out of ${count}:\n${said}`);
  }
  return results;
}

async function readResults(folder) {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  const folders = files.filter((file) => file.endsWith(`${sep}checks.json`)).map(dirname);
  const results = folders.toSorted().map(async (result) => {
    const path = join(folder, result);
    const name = result.replaceAll(sep, '/').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    return { name, path, checks: JSON.parse(await readFile(join(path, 'checks.json'), 'utf8')) };
  });
  return Promise.all(results);
}
