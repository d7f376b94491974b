// Makes docs/images/terminal.svg: runs `mcpx` with two real servers in a pseudo-terminal, in a new project and a new home.
// Needs `script` of util-linux, which every Debian has.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { columns, type Step, terminalPicture } from './terminal-picture.js';

const picture = fileURLToPath(new URL('../../../docs/images/terminal.svg', import.meta.url));
const mcpx = fileURLToPath(new URL('../dist/bin.js', import.meta.url));
const servers = fileURLToPath(new URL('../node_modules/.bin', import.meta.url));

const files = {
  'notes/today.md': 'Buy milk.',
  'mcp_servers.yaml': `
mcp_servers:
  files: { command: mcp-server-filesystem notes, auto_start: true }
  memory: { command: mcp-server-memory, auto_start: true }
`,
  'tools.yaml': `
tools:
  notes:
    mcp_tools: { required: [files] }
    role_restrictions:
      reader: { allowed_tools: [files.read_*, files.list_*] }
`,
};

const home = await mkdtemp(join(tmpdir(), 'mcpx-recording-'));
const project = join(home, 'notes-app');
const env = {
  HOME: home,
  XDG_RUNTIME_DIR: join(home, 'run'),
  PATH: [servers, process.env.PATH].join(delimiter),
  TERM: 'xterm-256color',
  SHELL: '/bin/sh',
  MCPX_TRUST: '1', // the consent to the two servers
};
try {
  await mkdir(join(project, 'notes'), { recursive: true });
  await mkdir(env.XDG_RUNTIME_DIR, { mode: 0o700 });
  for (const [name, content] of Object.entries(files)) await writeFile(join(project, name), content);
  await writeFile(picture, await terminalPicture(await record()));
} finally {
  await promisify(execFile)(process.execPath, [mcpx, 'down'], { cwd: project, env }).catch(() => undefined);
  await rm(home, { recursive: true, force: true });
}

async function record(): Promise<readonly Step[]> {
  const call = 'mcpx call files.read_text_file path=today.md';
  return [
    await run('mcpx up'),
    await run('mcpx search --limit 2 read a text file'),
    await run('mcpx call files.read_text_file pth=today.md  # a misspelt argument'),
    await run(call),
    await run('mcpx call --role reader files.write_file path=today.md content=  # a role that only reads'),
    await run('mcpx status'),
    await run(`kill -9 ${await pidOf('files')}  # as if the server had crashed`),
    await run(call),
    await run('mcpx status'),
    await run('mcpx down'),
  ];
}

async function pidOf(server: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [mcpx, 'status', '--json', server], {
    cwd: project,
    env,
  });
  return JSON.parse(stdout).servers[0].pid;
}

/** Runs a command line in a terminal as wide as the picture. Throws if the output shows a path of this machine. */
async function run(command: string): Promise<Step> {
  const startedAt = performance.now();
  const line = command.replace(/^mcpx /, `'${process.execPath}' '${mcpx}' `);
  const child = spawn('/usr/bin/script', ['-qec', `stty cols ${columns} rows 30; ${line}`, '/dev/null'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (output.includes(home)) throw new Error(`"${command}" printed a path of this machine:\n${output}`);
  return { command, output, tookMs: performance.now() - startedAt };
}
