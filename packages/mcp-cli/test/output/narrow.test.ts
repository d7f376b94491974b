import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expectNoLeaks, testServer } from '@x/test-servers';
import stringWidth from 'fast-string-width';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DaemonStage, daemonStage } from '../helpers/daemon-stage.js';
import { onStage } from '../helpers/stage-commands.js';

const tools = `tools:
  helper:
    needs: { required: [echo], recommended: [a-server-that-nobody-has-configured-yet] }
    role_restrictions:
      review: { allowed_tools: ["echo.*", "a-server-with-a-long-name.*"], denied_tools: ["echo.pid"] }
`;

let stage: DaemonStage;
beforeAll(async () => {
  stage = await daemonStage([
    { name: 'echo', server: 'echo' },
    { name: 'a-server-with-a-long-name', server: 'resources-and-prompts' },
    { name: 'broken', server: 'exits-at-once' },
  ]);
  await writeFile(join(stage.folder, 'tools.yaml'), tools);
  await onStage(stage, ['up']);
  await onStage(stage, ['call', 'echo.echo', 'text=hello']);
  await onStage(stage, ['add', 'added', '--', 'a-program-that-is-not-there', 'with', 'several', 'long', 'arguments']);
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await expectNoLeaks();
});

async function shown(argv: readonly string[], columns?: number): Promise<string> {
  const terminal = columns === undefined ? {} : { terminal: { columns, rows: 30 } };
  return stripVTControlCharacters((await onStage(stage, argv, terminal)).stdout);
}

/** Lines of both streams, without those that are redrawn in place, which the terminal cuts. */
async function linesOf(argv: readonly string[]): Promise<readonly string[]> {
  const { stdout, stderr } = await onStage(stage, argv, { terminal: { columns: 40, rows: 30 } });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they switch the cutting of lines on and off
  const redrawn = /\u001b\[\?7l.*?\u001b\[\?7h/gs;
  return stripVTControlCharacters(`${stdout}${stderr.replace(redrawn, '')}`).split('\n');
}

const commands = [
  'list',
  'search echo',
  'status',
  'health',
  'doctor',
  'calls',
  'validate',
  'requirements',
  'roles',
  'roles --verbose',
  'approvals',
  'pins',
  'context',
  'resources',
  'prompts',
  'discover echo',
  'tools',
  'describe echo.echo',
  'capabilities echo',
  'sync --list',
  '--help',
  'call --help',
  'serve --help',
  'roles --help',
].map((command) => command.split(' '));

const { command, args } = testServer('resources-and-prompts');
const changing = [
  ['up'],
  ['up', '--verbose'],
  ['restart', 'echo'],
  ['call', 'a-server-with-a-long-name.use_tool', '--timeout', '5'],
  ['call', 'echo.ech', 'text=hello'],
  ['call', 'echo.echo', 'text=hello', 'texts=a'],
  ['inspect', [command, ...args].join(' ')],
  ['types', [command, ...args].join(' '), '--output', 'types.ts', '--verbose'],
  ['fleet', 'status'],
  ['logs', '--events'],
  ['logs', 'nobody'],
  ['daemon', 'status'],
  ['daemon', 'reload'],
  ['sync', 'cursor', '--dry-run'],
  ['sync', 'cursor', '--gateway', '--dry-run'],
  ['config', 'undo', '--list'],
  ['config', 'undo', '--dry-run'],
  ['remove', 'nobody'],
  ['remove', 'added', '--dry-run'],
  ['add', 'another', '--dry-run', '--', 'a-program', 'with', 'several', 'long', 'arguments'],
  ['discover', 'nobody'],
  ['trust'],
  ['call'],
  ['login', 'echo'],
  ['logout', 'nobody'],
  ['edit', 'nobody'],
  ['init', '--yes', '--file', 'written/mcp_servers.yaml'],
  ['init', '--yes'],
  ['serve', 'nobody'],
];

test.each([...commands, ...changing].map((argv) => [argv.join(' '), argv] as const))(
  'mcpx %s fits 40 columns',
  async (_, argv) => {
    const lines = await linesOf(argv);
    expect(lines.filter((line) => stringWidth(line) > 40)).toEqual([]);
    expect(lines.length).toBeGreaterThan(1);
  },
);

test.each(commands.map((argv) => [argv.join(' '), argv] as const))(
  'mcpx %s says at least as much in a pipe as on a narrow terminal',
  async (_, argv) => {
    const [narrow, piped] = [await shown(argv, 40), await shown(argv)];
    const words = (text: string): Set<string> => new Set(text.match(/[A-Za-z][a-z-]{2,15}(?= )/g));
    expect([...words(narrow)].filter((word) => !piped.includes(word))).toEqual([]);
    expect(piped).not.toMatch(/…$/m);
  },
);

test.each([[[]], [['--own-servers']]])('serve --http with %j fits 40 columns', async (options) => {
  const interruption = new AbortController();
  const { stderr } = await onStage(stage, ['serve', '--http', '--port', '0', ...options], {
    terminal: { columns: 40, rows: 30 },
    signal: interruption.signal,
    onStderr: (text) => {
      if (text.includes('Bearer') || text.includes('The token is')) interruption.abort();
    },
  });
  expect(stderr).toContain('Serving ');
  expect(stderr.split('\n').filter((line) => stringWidth(stripVTControlCharacters(line)) > 40)).toEqual([]);
});
