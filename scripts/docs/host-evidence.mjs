// Writes the table of docs/sync-host-configs.md that says how each host is known. With `--check` it only compares, and fails
// if they differ. Needs the built package.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listHosts } from '../../packages/mcp-host-sync/dist/index.js';
import { root } from '../root.mjs';

const page = join(root, 'docs/sync-host-configs.md');
const [start, end] = ['<!-- evidence of hosts -->\n', '<!-- end of evidence of hosts -->\n'];

const before = await readFile(page, 'utf8');
const [head, rest] = before.split(start);
const [, tail] = rest.split(end);
const hosts = listHosts();
const written = `${head}${start}${tableOf(hosts)}${end}${tail}`;

if (written !== before && process.argv.includes('--check')) {
  console.error(
    'docs/sync-host-configs.md: the table of hosts is out of date; run: node scripts/docs/host-evidence.mjs',
  );
  process.exitCode = 1;
} else if (written !== before) await writeFile(page, written);
console.log(`${hosts.length} files of hosts`);

function tableOf(all) {
  const known = all.filter(({ evidence }) => evidence.some(({ by }) => by !== 'documentation'));
  const others = all.filter((host) => !known.includes(host));
  const rows = known.map(rowOf).join('\n');
  const ids = others.map(({ id }) => `\`${id}\``).join(', ');
  return `
| Host | Seen in the program | From its source | From its documentation |
| --- | --- | --- | --- |
${rows}

From documentation alone: ${ids}.

`;
}

function rowOf({ id, evidence }) {
  const facts = (by) => evidence.filter((each) => each.by === by).map(({ fact }) => fact);
  const seen = [...groupRuns(evidence)].map(([run, shown]) => `${run}: ${shown.join(', ')}`).join('; ');
  return `| \`${id}\` | ${seen || '-'} | ${facts('source').join(', ') || '-'} | ${facts('documentation').join(', ') || '-'} |`;
}

function groupRuns(evidence) {
  const runs = new Map();
  for (const { fact, by, program, version, date } of evidence) {
    if (by !== 'program') continue;
    const run = `${program} ${version}, ${date}`;
    runs.set(run, [...(runs.get(run) ?? []), fact]);
  }
  return runs;
}
