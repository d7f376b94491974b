// How long an app waits for `import '@x/mcp'` when it starts, beside `node -e 0` and `import '@ai-sdk/mcp'`: whole processes,
// from the start to the exit. Run after a build: node bench/app-import.mjs
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { interleaved, medianOf, numbersFrom, printConditions, printTable, ratioOf, spreadOf } from './measurement.mjs';
import { clientPeers, installPeers, versionOf } from './peers.mjs';
import { childrenTime, meanOf } from './process-time.mjs';

const run = promisify(execFile);
const { rounds } = numbersFrom({ rounds: 40 });
const packages = resolve(process.env.BENCH_PACKAGES ?? fileURLToPath(new URL('../packages', import.meta.url)));
const ours = join(packages, 'mcp'); // a package may import itself by name
const peer = '@ai-sdk/mcp';
const { folder: peers } = installPeers({ [peer]: clientPeers[peer] });
const config = await mkdtemp(join(tmpdir(), 'bench-import-'));
await writeFile(join(config, 'mcp_servers.yaml'), 'mcp_servers: {}\n');

const opened = (options) =>
  `import { openTools } from '@x/mcp'; const tools = await openTools(${JSON.stringify(options)}); await tools.close();`;
const programs = {
  'node -e 0': [ours, '0'],
  [`import '${peer}'`]: [peers, `import '${peer}'`],
  "import '@x/mcp'": [ours, `import '@x/mcp'`],
  'the same, and openTools({ mcpServers })': [ours, opened({ mcpServers: {} })],
  'the same, and openTools() with files': [ours, opened({ config })],
};
const contenders = Object.entries(programs).map(([name, program]) => [name, () => processTime(...program)]);
const measured = await interleaved(Object.fromEntries(contenders), rounds).finally(() =>
  rm(config, { recursive: true }),
);

const walls = (times) => times.map(({ wall }) => wall);
const empty = measured.get('node -e 0');
const added = new Map(
  Array.from(measured, ([name, times]) => [name, times.map(({ wall }, round) => wall - empty[round].wall)]),
);
printTable('From the start of the process to its end', [
  ['', 'median ms', 'middle half', 'more than `node -e 0`, ms', `ratio to ${peer}`, 'processor ms'],
  ...Array.from(measured, ([name, times]) => [
    name,
    medianOf(walls(times)).toFixed(1),
    spreadOf(walls(times)),
    medianOf(added.get(name)).toFixed(1),
    times === empty ? '' : ratioOf(added.get(name), added.get(`import '${peer}'`)).toFixed(2),
    meanOf(times).toFixed(1),
  ]),
]);
printConditions({
  how: [`${rounds} interleaved rounds of fresh processes`, 'the ratio is of the times without `node -e 0`'],
  peers: [`${peer} ${versionOf(peers, peer)}`],
});

/** Milliseconds that a program takes as a process of its own, by the clock and of the processor. */
async function processTime(cwd, program) {
  const before = childrenTime();
  const start = performance.now();
  await run(process.execPath, ['--input-type=module', '--eval', program], { cwd });
  return { wall: performance.now() - start, cpu: childrenTime() - before };
}
