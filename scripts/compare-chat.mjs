// The same chat app with three libraries: installs each into an empty project, ours from packed tarballs, type-checks the
// programs of `scripts/peers/chat`, has the same conversation with each and compares the answers. Then it measures, and
// writes the table of docs/compare-chat.md.
//
// `--rounds 5` imports each library five times. `--folder <folder>` keeps what is installed, and uses it again.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { interleaved, machineFacts, medianOf, ratioOf, table } from '../bench/measurement.mjs';
import { clientPeers } from '../bench/peers.mjs';
import { packPackages } from './pack-packages.mjs';
import { converse, pressControlC, searches } from './peers/chat/conversation.mjs';
import { install, installShared, modelPackages, typeCheck } from './peers/peer-project.mjs';
import { measureInstalled } from './release/sizes.mjs';
import { root } from './root.mjs';
import { run } from './run.mjs';

const page = join(root, 'docs', 'compare-chat.md');
const ours = '@x/mcp';
const libraries = [
  { name: ours, program: 'with-x-mcp.ts', imports: [ours, `${ours}/models`] },
  { name: 'mcporter', program: 'with-mcporter.ts', imports: ['mcporter'] },
  { name: '@ai-sdk/mcp', program: 'with-ai-sdk.ts', imports: ['@ai-sdk/mcp', '@ai-sdk/mcp/mcp-stdio'] },
];

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '21' }, folder: { type: 'string' } },
});
const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'compare-chat-')));
try {
  const shared = await installShared(join(folder, 'shared'));
  const projects = await installLibraries();
  for (const { project, program } of projects) await typeCheck(project, program);
  const talks = [];
  for (const each of projects) talks.push(await talk(each, shared));
  refuseDifferences(talks);
  const starts = await importTimes(projects, shared);
  const sizes = await Promise.all(projects.map(sizeOf));
  await writeTable(rowsOf({ projects, talks, starts, sizes }), shared);
} finally {
  if (options.folder === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** A project for each library, with its program. Ours is packed anew each time, as it is built now. */
async function installLibraries() {
  const packed = await packPackages(join(folder, 'packed'));
  const tarballs = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]));
  const projects = [];
  for (const library of libraries) {
    const { name, program } = library;
    const project = join(folder, program.replace('.ts', ''));
    if (name === ours) await rm(project, { recursive: true, force: true });
    const version = clientPeers[name] ?? tarballs[name];
    await install(project, { [name]: version, ...modelPackages }, name === ours ? tarballs : {});
    await cp(join(root, 'scripts', 'peers', 'chat', program), join(project, program));
    projects.push({ ...library, project });
  }
  return projects;
}

async function talk({ name, project, program }, { node, servers: entries }) {
  console.error(`Talking to ${name}`);
  const servers = {
    files: { entry: entries.filesystem, args: (stage) => [stage] },
    memory: { entry: entries.memory, args: () => [] },
    everything: { entry: entries.everything, args: () => ['stdio'] },
  };
  const use = { node, program, project, servers };
  return { ...(await converse(use)), afterControlC: await pressControlC(use) };
}

/** The programs have to do the same before their figures mean something. */
function refuseDifferences(talks) {
  const [first, ...others] = talks.map(({ answers, offered, mayWrite, exitCode, left }) =>
    JSON.stringify({ answers, offered: offered.toSorted(), mayWrite, exitCode, left }),
  );
  const other = others.find((each) => each !== first);
  if (other !== undefined) throw new Error(`The programs differ:\n${first}\n${other}`);
  if (talks[0].mayWrite) throw new Error('A reader has overwritten the notes');
}

/** By library, the milliseconds of processor time of each round: steadier than those of the clock on a busy machine. */
async function importTimes(projects, { node }) {
  const contenders = projects.map(({ name, project, imports }) => [name, () => importTime(node, project, imports)]);
  return interleaved(Object.fromEntries(contenders), Number(options.rounds));
}

async function importTime(node, cwd, imports) {
  const each = imports.map((entry) => `await import('${entry}');`).join(' ');
  const code = `const start = process.cpuUsage(); ${each} console.log(JSON.stringify(process.cpuUsage(start)));`;
  const { user, system } = JSON.parse((await run(node, ['--input-type=module', '--eval', code], { cwd })).stdout);
  return (user + system) / 1_000;
}

async function sizeOf({ name, project, program }) {
  const lines = (await readFile(join(project, program), 'utf8')).split('\n').map((line) => line.trim());
  return {
    lines: lines.filter((line) => line !== '' && !line.startsWith('//')).length,
    library: await measureInstalled([name], project),
    app: await measureInstalled([name, ...Object.keys(modelPackages)], project),
    engine: JSON.parse(await readFile(join(project, 'node_modules', name, 'package.json'), 'utf8')).engines.node,
  };
}

function rowsOf({ projects, talks, starts, sizes }) {
  const megabytes = ({ installed }) => (installed / 1e6).toFixed(1);
  const importOf = ({ name }) => {
    const time = `${Math.round(medianOf(starts.get(name)))} ms`;
    return name === ours ? time : `${time}, ${ratioOf(starts.get(name), starts.get(ours)).toFixed(1)} times`;
  };
  return [
    ['', ...projects.map(({ name }) => [name, clientPeers[name]].join(' ').trimEnd())],
    ['Lines of the program', ...sizes.map(({ lines }) => lines)],
    ['Packages of the library; of the app', ...sizes.map(({ library, app }) => `${library.packages}; ${app.packages}`)],
    [
      'Megabytes of the library; of the app',
      ...sizes.map(({ library, app }) => [library, app].map(megabytes).join('; ')),
    ],
    ['Import, processor time', ...projects.map(importOf)],
    ['Node', ...sizes.map(({ engine }) => engine.replaceAll('||', 'or'))],
    [`Right tool in the first three, of ${searches.length} searches`, ...talks.map(({ found }) => count(found))],
    ['An image of a tool reaches the model', ...talks.map(({ seesImages }) => yesOrNo(seesImages))],
    ['A stopped answer cancels the call at the server', ...talks.map(({ cancels }) => yesOrNo(cancels))],
    ['After the death of a server, its tools work', ...talks.map(({ afterDeath }) => atQuestion(afterDeath))],
    ['After Ctrl-C in a terminal, tools work', ...talks.map(({ afterControlC }) => atQuestion(afterControlC))],
  ];
}

function count(found) {
  return found.filter(Boolean).length;
}

function yesOrNo(holds) {
  return holds ? 'yes' : 'no';
}

function atQuestion(number) {
  if (number === undefined) return 'never again';
  return number === 1 ? 'at once' : `from question ${number} on`;
}

async function writeTable(rows, { versions }) {
  const model = Object.entries(modelPackages).map((each) => each.join(' '));
  const how = [machineFacts(clientPeers.node), ...model, versions, `${options.rounds} imports each, in turns`].join(
    '; ',
  );
  const shown = `${table(rows)}\n\n${how}.`;
  const text = await readFile(page, 'utf8');
  await writeFile(
    page,
    text.replace(/(?<=<!-- chat -->\n)[\s\S]*?(?=\n?<!-- \/chat -->)/, () => `${shown}\n`),
  );
  console.log(shown);
}
