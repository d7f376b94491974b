// The config files that are written for host apps, read by the programs themselves: each program of hosts/programs.mjs is
// installed in a private home, at its pinned and at its newest version. It starts what was synced, rewrites its file with
// its own command, and the rest of a life follows: update, import, removal. Servers record how they were started.
// Needs the built packages and the npm registry.
//
// `node scripts/check-hosts.mjs codex gemini-cli` checks the named families alone. `--write` records what was seen in
// packages/mcp-host-sync/src/evidence/verified.json. `--keep <folder>` installs there, and uses what is there.
// `--only latest` checks one of the two versions.
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkHost } from './hosts/check-host.mjs';
import { recordEvidence } from './hosts/evidence.mjs';
import { installProgram } from './hosts/install.mjs';
import { programs } from './hosts/programs.mjs';
import { Report } from './report.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean' }, keep: { type: 'string' }, only: { type: 'string' } },
});
const unknown = positionals.find((family) => !programs.some((program) => program.family === family));
if (unknown !== undefined) {
  throw new Error(
    `There is no program "${unknown}" here; there are ${programs.map(({ family }) => family).join(', ')}`,
  );
}
const wanted = programs.filter(({ family }) => positionals.length === 0 || positionals.includes(family));

const folder = await realpath(await mkdtemp(join(tmpdir(), 'check-hosts-')));
const installs = values.keep === undefined ? join(folder, 'installs') : resolve(values.keep);
await mkdir(installs, { recursive: true });
const report = new Report();
const seen = [];
try {
  for (const program of wanted) await checkProgram(program);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
if (values.write) {
  const isWhole = positionals.length === 0 && values.only === undefined;
  await recordEvidence(seen, { isWhole });
}
report.finish();

async function checkProgram(program) {
  const tried = new Set();
  const versions = ['latest', program.pinned].filter((wish) => values.only === undefined || wish === values.only);
  for (const wish of versions) {
    const installed = await report.check(`${program.name} ${wish}: npm install`, () =>
      installProgram(program, wish, installs),
    );
    if (installed === undefined || tried.has(installed.version)) continue;
    tried.add(installed.version);
    for (const host of program.hosts) {
      const place = await realpath(await mkdtemp(join(folder, 'place-')));
      const facts = await checkHost({ program, installed, host, folder: place, report });
      seen.push({ host, program: program.name, version: installed.version, facts });
    }
  }
}
