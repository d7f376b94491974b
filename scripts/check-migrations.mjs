// The programs that docs/migrate-from-*.md show as "before" and "after": installs the versions that the pages name, and ours
// from packed tarballs, into one project, as during a move step by step. Type-checks both programs, and runs
// them with a real server and a model that this process plays. So no page describes a library as it was once.
//
// `node scripts/check-migrations.mjs mastra` checks the named ones alone. `--folder <folder>` keeps what is installed, and
// uses it again.
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { clientPeers } from '../bench/peers.mjs';
import { packPackages } from './pack-packages.mjs';
import { startModelEndpoint } from './peers/model-endpoint.mjs';
import { install, installShared, modelPackages, typeCheck } from './peers/peer-project.mjs';
import { Report } from './report.mjs';
import { root } from './root.mjs';
import { run } from './run.mjs';

const noted = 'Buy milk.';
const langchain = {
  langchain: '1.5.3',
  '@langchain/openai': '1.5.3',
  '@langchain/core': clientPeers['@langchain/core'],
};
/** By program, what its project installs. The first package is what its page is about. */
const programs = {
  'ai-sdk': { '@ai-sdk/mcp': clientPeers['@ai-sdk/mcp'], ...modelPackages },
  langchain: { '@langchain/mcp-adapters': clientPeers['@langchain/mcp-adapters'], ...langchain },
  mastra: {
    '@mastra/mcp': clientPeers['@mastra/mcp'],
    '@mastra/core': clientPeers['@mastra/core'],
  },
  mcporter: { mcporter: clientPeers.mcporter },
  'mcp-use': { 'mcp-use': '1.34.6', ...langchain, ...modelPackages },
};

const { values: options, positionals } = parseArgs({
  options: { folder: { type: 'string' } },
  allowPositionals: true,
});
const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'check-migrations-')));
const report = new Report();
try {
  const shared = await report.check('install Node and a server', () => installShared(join(folder, 'shared')));
  const tarballs = await report.check('pack', packTarballs);
  const names = positionals.length > 0 ? positionals : Object.keys(programs);
  if (shared && tarballs) for (const name of names) await checkPage(name, { ...shared, tarballs });
} finally {
  if (options.folder === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
report.finish();

async function packTarballs() {
  const packed = await packPackages(join(folder, 'packed'));
  return Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]));
}

async function checkPage(name, { node, servers, tarballs }) {
  const project = join(folder, name);
  const [[library, version]] = Object.entries(programs[name]);
  const isInstalled = await report.check(`${name}: the page, and npm install`, async () => {
    const page = await readFile(join(root, 'docs', `migrate-from-${name}.md`), 'utf8');
    if (!page.includes(version)) throw new Error(`The page does not name ${library} ${version}`);
    await install(project, { ...programs[name], '@x/mcp': tarballs['@x/mcp'] }, tarballs);
    return true;
  });
  if (!isInstalled) return;
  for (const when of ['before', 'after']) {
    const program = join(root, 'scripts', 'peers', when, `${name}.ts`);
    if (!existsSync(program)) continue; // in docs/snippets
    await report.check(`${name}: ${when}`, () => check(program, project, node, servers));
  }
}

async function check(program, project, node, servers) {
  await cp(program, join(project, 'program.ts'));
  await typeCheck(project, 'program.ts');
  const notes = join(project, 'notes');
  await mkdir(notes, { recursive: true });
  await writeFile(join(notes, 'notes.txt'), noted);
  const model = await startModelEndpoint({
    'Read the notes': { tool: 'read_text_file', args: { path: join(notes, 'notes.txt') } },
  });
  try {
    const quiet = { MASTRA_TELEMETRY_DISABLED: '1', MCP_USE_ANONYMIZED_TELEMETRY: 'false' };
    const provider = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'of-nobody' };
    const env = { PATH: process.env.PATH, HOME: project, USERPROFILE: project, ...quiet, ...provider };
    const args = ['program.ts', notes, servers.filesystem];
    const { stdout } = await run(node, args, { cwd: project, env, timeoutMs: 60_000 });
    if (!stdout.includes(noted)) throw new Error(`It printed ${stdout}`);
  } finally {
    model.close();
  }
}
