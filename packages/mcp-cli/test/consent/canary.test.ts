import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expectNoLeaks } from '@x/test-servers';
import type { Command } from 'commander';
import { afterEach, expect, test } from 'vitest';
import type { Io } from '../../src/command.js';
import { commandLine } from '../../src/command-line/program.js';
import { endDaemon } from '../../src/daemon/end-daemon.js';
import { ensureDaemon } from '../../src/daemon/ensure-daemon.js';
import { daemonPrograms } from '../helpers/daemon-programs.js';
import { project } from '../helpers/project.js';
import { type RunOptions, runMcpx } from '../helpers/run-mcpx.js';

afterEach(expectNoLeaks);

interface Clone extends AsyncDisposable {
  readonly folder: string;
  readonly io: Required<Pick<RunOptions, 'cwd' | 'env' | 'stateDirectory' | 'daemonPrograms'>>;
  /** What was run so far, in the words of who ran it. */
  executions(): readonly string[];
}

/** A clone in which everything that a file can name leaves a line in one file when it runs. */
async function hostileClone(files: (run: Canary) => Readonly<Record<string, string>>): Promise<Clone> {
  const { folder, [Symbol.asyncDispose]: remove } = await project({});
  const log = join(folder, 'executions');
  const script = join(folder, 'canary.cjs');
  const canary: Canary = {
    words: (who) => [process.execPath, script, who],
    line: (who) => [process.execPath, script, who].map((word) => `'${word}'`).join(' '),
  };
  const { writeFile } = await import('node:fs/promises');
  await writeFile(script, `require('node:fs').appendFileSync(${JSON.stringify(log)}, process.argv[2] + '\\n')`);
  for (const [name, text] of Object.entries(files(canary))) {
    await mkdir(join(folder, 'clone', name, '..'), { recursive: true });
    await writeFile(join(folder, 'clone', name), text);
  }
  for (const name of ['home', 'run']) await mkdir(join(folder, name), { mode: 0o700 });
  const env = {
    PATH: process.env.PATH,
    MCPX_TRUST: undefined,
    HOME: join(folder, 'home'),
    XDG_RUNTIME_DIR: join(folder, 'run'),
    TEST_OWNER: process.env.TEST_OWNER,
  };
  const io = {
    cwd: join(folder, 'clone'),
    env,
    stateDirectory: join(folder, 'state'),
    daemonPrograms: daemonPrograms(),
  };
  return {
    folder,
    io,
    executions: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
    [Symbol.asyncDispose]: async () => {
      // `--config .` is another config than none, with a daemon of its own.
      for (const options of [{}, { config: ['.'] }]) {
        await endDaemon({ ...options, now: true }, { ...io, ...silent, signal: new AbortController().signal });
      }
      await remove();
    },
  };
}

const silent = {
  stdin: Readable.from([]),
  stdout: { write: () => undefined },
  stderr: { write: () => undefined },
};

interface Canary {
  words(who: string): readonly string[];
  /** As one line that is split into the same words. */
  line(who: string): string;
}

/** Every kind of entry that runs something, or has something run to be reached. */
function serverEntries(run: Canary, file: string): Record<string, unknown> {
  const [command, ...args] = run.words(`${file}: command`);
  const secret = { secret_ref: `command:${run.line(`${file}: secret`)}` };
  return {
    hostile: { command, args, env: { TOKEN: secret } },
    web: { url: 'http://127.0.0.1:9/mcp', headers: { 'X-Key': secret } },
  };
}

const toolsFile = JSON.stringify({
  tools: {
    app: {
      mcp_tools: { required: ['hostile'], recommended: ['web'] },
      role_restrictions: { hostile: { allowed_tools: ['hostile', 'web'] } },
    },
  },
});

const clones = {
  'mcp_servers.yaml': (run: Canary) => ({
    'mcp_servers.yaml': JSON.stringify({
      mcp_servers: Object.fromEntries(
        Object.entries(serverEntries(run, 'mcp_servers.yaml')).map(([name, entry]) => [
          name,
          { ...(entry as object), auto_start: true, health_check: { method: 'tool_call', tool: 'x' } },
        ]),
      ),
    }),
    'tools.yaml': toolsFile,
    '.vscode/mcp.json': JSON.stringify({ servers: serverEntries(run, '.vscode/mcp.json') }),
    '.cursor/mcp.json': JSON.stringify({ mcpServers: serverEntries(run, '.cursor/mcp.json') }),
    'extension/extension.json': JSON.stringify({
      name: 'hostile',
      version: '1.0.0',
      mcpServers: serverEntries(run, 'extension'),
      mcp_servers: serverEntries(run, 'extension'),
    }),
  }),
  '.mcp.json': (run: Canary) => ({
    '.mcp.json': JSON.stringify({ mcpServers: serverEntries(run, '.mcp.json') }),
    'tools.yaml': toolsFile,
  }),
};

/** What stands for an argument of this name. Any other is the name of a server. */
const words: Readonly<Record<string, string>> = {
  tool: 'hostile.x',
  uri: 'test://x',
  mode: 'all',
  shell: 'bash',
  role: 'hostile',
  words: 'call',
  host: 'cursor',
  dir: '.',
};

/** Every command of the program by its words, with what it has to be given, and again with each option that asks for more. */
function invocations(command: Command, before: readonly string[] = []): readonly (readonly string[])[] {
  return command.commands.flatMap((each) => {
    const own = [...before, each.name()];
    if (each.commands.length > 0) return invocations(each, own);
    const needed = each.registeredArguments.map((argument) => words[argument.name()] ?? 'hostile');
    const plain = [...own, ...needed];
    const more = [
      '--refresh',
      '--dry-run',
      '--check',
      '--http',
      '--gateway',
      '--list',
      '--foreground',
      '--sarif',
    ].filter((option) => each.options.some(({ long }) => long === option));
    const named = each.options.some(({ long }) => long === '--config') ? [[...plain, '--config', '.']] : [];
    const web = needed.map((word) => word.replace('hostile', 'web'));
    return [
      plain,
      ...(web.join() === needed.join() ? [] : [[...own, ...web]]), // otherwise it is the same command
      ...more.map((option) => [...plain, option]),
      ...named,
    ];
  });
}

const all = invocations(commandLine({ stdout: {}, stderr: {} } as unknown as Io, () => undefined)).filter(
  // Consent is what these give.
  ([first, second]) => !(first === 'trust' && second === 'add'),
);

test('the commands are taken from the program itself', () => {
  const names = new Set(all.map(([name]) => name));
  for (const name of ['status', 'up', 'call', 'serve', 'doctor', 'sync', 'fleet', '__complete'])
    expect(names).toContain(name);
});

for (const [kind, files] of Object.entries(clones)) {
  test(`no command runs anything of a cloned repository with ${kind}`, async () => {
    await using clone = await hostileClone(files);
    await runAll(clone, []);
    expect(clone.executions()).toEqual([]);
  }, 240_000);
}

test('no command runs anything of a cloned repository while a daemon runs', async () => {
  await using clone = await hostileClone(clones['mcp_servers.yaml']);
  await runAll(clone, [], { beforeEach: () => startDaemon(clone) });
  expect(clone.executions()).toEqual([]);
}, 240_000);

test('no command runs anything of a cloned repository whose files are named', async () => {
  await using clone = await hostileClone(clones['mcp_servers.yaml']);
  for (const file of ['.vscode/mcp.json', '.cursor/mcp.json', 'mcp_servers.yaml']) {
    for (const argv of [
      ['status'],
      ['call', 'hostile.x'],
      ['up'],
      ['search', 'x', '--refresh'],
      ['serve', '--own-servers'],
      ['down'],
    ]) {
      await runIn(clone, [...argv, '--config', file]);
    }
  }
  for (const argv of [
    ['sync', '--extension', 'extension', '--dry-run'],
    ['sync', '--extension', 'extension', '--yes'],
  ]) {
    await runIn(clone, argv);
  }
  expect(clone.executions()).toEqual([]);
}, 120_000);

test('the canary is alive: with consent the same clone runs its programs', async () => {
  await using clone = await hostileClone(clones['mcp_servers.yaml']);
  await runIn(clone, ['discover', 'hostile', '--trust']);
  expect(clone.executions()).toEqual(expect.arrayContaining(['mcp_servers.yaml: secret']));
});

/** Leaves a daemon that runs as it is. */
async function startDaemon(clone: Clone): Promise<void> {
  await using _control = await ensureDaemon({}, { ...clone.io, ...silent, signal: new AbortController().signal });
}

async function runAll(
  clone: Clone,
  options: readonly string[],
  { beforeEach }: { readonly beforeEach?: () => Promise<void> } = {},
): Promise<void> {
  for (const argv of all) {
    await beforeEach?.();
    await runIn(clone, [...argv, ...options]);
    const ran = clone.executions();
    if (ran.length > 0) throw new Error(`mcpx ${argv.join(' ')} ran ${ran.join(', ')}`);
  }
}

/** Some commands go on until they are interrupted: those have had their say when they wait for it. */
async function runIn(clone: Clone, argv: readonly string[]): Promise<void> {
  const enough = new AbortController();
  const goesOn =
    argv.includes('--foreground') || argv.includes('--watch') || argv.includes('--follow') || argv.includes('--http');
  const stop = (text: string): void => {
    if (goesOn && text !== '') enough.abort();
  };
  const outcome = await runMcpx(argv, { ...clone.io, signal: enough.signal, onStderr: stop, onStdout: stop });
  expect(outcome.stderr, argv.join(' ')).not.toContain('at '.concat('Object.<anonymous>'));
}
