// Which servers each client library connects to, by the way in which the server refuses a method that it does not know.
// Run: node bench/connects-to.mjs   (builds are expected; peers are installed into a temporary folder from npm)
// Writes the table of docs/connects-to.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { httpRefusals, startHttpRefusing, stdioRefusals } from '../packages/test-servers/dist/index.js';
import { contenders } from './contenders.mjs';
import { prepareContest } from './contest.mjs';
import { clientPeerVersions } from './peers.mjs';

const patienceMs = 20_000;
const page = new URL('../docs/connects-to.md', import.meta.url);
const program = fileURLToPath(new URL('../packages/test-servers/dist/refuses-unknown.js', import.meta.url));
const contest = prepareContest({ program: 'fault-process.mjs' });
const names = Object.keys(contenders).filter((name) => name !== 'raw pipe');

const habits = [
  ...Object.keys(httpRefusals).map((refusal) => ({
    title: `HTTP: ${refusal}`,
    serve: async () => {
      const server = await startHttpRefusing(refusal);
      return { spec: { name: 's', url: server.url }, close: () => server[Symbol.asyncDispose]() };
    },
  })),
  ...stdioRefusals.map((refusal) => ({
    title: `stdio: ${refusal}`,
    serve: async () => {
      const args = [program, '--refusal', refusal];
      return { spec: { name: 's', command: contest.node, args }, close: async () => undefined };
    },
  })),
];

const connected = Object.fromEntries(names.map((name) => [name, 0]));
const rows = [];
for (const { title, serve } of habits) {
  const cells = await Promise.all(names.map((name) => connects(name, serve)));
  for (const [index, cell] of cells.entries()) if (cell === 'yes') connected[names[index]] += 1;
  rows.push(`| ${title} | ${cells.join(' | ')} |`);
  console.error(rows.at(-1));
}
const table = [
  `| | ${names.join(' | ')} |`,
  `| --- |${' --- |'.repeat(names.length)}`,
  ...rows,
  `| **connects to, of ${habits.length}** | ${names.map((name) => `**${connected[name]}**`).join(' | ')} |`,
  '',
  `Measured with Node ${contest.nodeVersion}; ${clientPeerVersions(contest.folder).join(', ')}.`,
].join('\n');
const text = readFileSync(page, 'utf8');
writeFileSync(
  page,
  text.replace(/(<!-- table -->\n)[\s\S]*?(\n?<!-- \/table -->)/, (_, before, after) => before + table + after),
);

/** `yes` when a call of a tool brings its result, each in a process and with a server of its own. */
async function connects(name, serve) {
  const { spec, close } = await serve();
  const child = contest.start(name, { stderr: 'ignore', detached: true });
  try {
    const open = child
      .ask('open', { servers: [spec] })
      .then(() => child.ask('call', { server: 's', tool: 'echo', args: { text: 'hi' } }));
    open.catch(() => undefined);
    const late = wait(patienceMs, {}, { ref: false });
    return (await Promise.race([open, late])).text === 'hi' ? 'yes' : 'no';
  } catch {
    return 'no';
  } finally {
    child.kill();
    await close();
  }
}
process.exit(0);
