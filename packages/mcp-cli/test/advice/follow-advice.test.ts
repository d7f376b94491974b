import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expectNoLeaks, testServer, withOwner } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { daemonPrograms } from '../helpers/daemon-programs.js';
import { project, type ServerEntry, serversFile } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { homeIn } from '../helpers/serving.js';

// Provokes the commonest failures of mcpx, and runs what it advises, as it is printed. A shell reads each command. The mcpx
// on its PATH prints its arguments, with which the test runs the command in its own process.

afterEach(expectNoLeaks);

interface Ended {
  readonly exitCode: number | null;
  /** stdout and stderr. */
  readonly output: string;
}

interface Shell extends AsyncDisposable {
  readonly folder: string;
  run(command: string): Promise<Ended>;
}

/** A user without a terminal, with `mcpx` on their PATH. */
async function shell(files: Readonly<Record<string, string>>, env: Record<string, string> = {}): Promise<Shell> {
  const { folder, [Symbol.asyncDispose]: remove } = await project(files);
  const bin = join(folder, 'bin');
  for (const name of ['bin', 'run', 'home']) await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
  await writeFile(join(bin, 'mcpx'), `#!/bin/sh\nprintf '%s\\0' "$@"\n`);
  await chmod(join(bin, 'mcpx'), 0o755);
  const ofUser = withOwner({
    ...homeIn(folder),
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    XDG_RUNTIME_DIR: join(folder, 'run'),
    ...env,
  });
  const run = async (command: string): Promise<Ended> => {
    const child = spawn('/bin/sh', ['-c', command], { cwd: folder, env: ofUser, stdio: ['ignore', 'pipe', 'pipe'] });
    const [[exitCode], printed, errors] = await Promise.all([
      once(child, 'close') as Promise<[number | null]>,
      text(child.stdout),
      text(child.stderr),
    ]);
    const argv = printed.split('\0').slice(0, -1);
    if (argv.length === 0) return { exitCode, output: `${printed}${errors}` };
    if (exitCode !== 0 || errors !== '') throw new Error(`The shell cannot run ${command}: ${exitCode} ${errors}`);
    const outcome = await runMcpx(argv, {
      cwd: folder,
      env: ofUser,
      stateDirectory: join(folder, 'home', 'data', 'mcpx'),
      daemonPrograms: daemonPrograms(),
    });
    return { exitCode: outcome.exitCode, output: `${outcome.stdout}${outcome.stderr}` };
  };
  return {
    folder,
    run,
    [Symbol.asyncDispose]: async () => {
      await run('mcpx down --now');
      await remove();
    },
  };
}

interface Row {
  readonly servers?: readonly ServerEntry[];
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Record<string, string>;
  /** Commands before, which must succeed. */
  readonly before?: readonly string[];
  /** The command that fails, or does less than its user wants. */
  readonly command: string;
  /** Its advice, in a form that contains the command to run or what to change about `command`. */
  readonly advice: RegExp;
  /** Makes the next commands of `command` and the match of `advice`. Default: the first group of the match. */
  readonly follow?: (match: RegExpExecArray, command: string) => readonly string[];
  /** Exit code of the last command that was advised. Default 0. */
  readonly exitCode?: number;
  /** In the output of the last command that was advised. */
  readonly says?: RegExp;
  /** A command that works afterwards, and what it prints. */
  readonly afterwards?: readonly [command: string, says: RegExp];
}

const git: ServerEntry = { name: 'git', server: 'echo' };
const manual: ServerEntry = { name: 'manual', server: 'echo', fields: { auto_start: false } };
const dead: ServerEntry = {
  name: 'dead',
  server: 'exits-at-once',
  args: ['--stderr', 'last words'],
  fields: { auto_start: false },
};
const cursor = (text: string) => ({ 'home/.cursor/mcp.json': text });
const isRunning = ['mcpx status', /● running/] as const;
/** A word of the command in place of a wrong one. */
const instead =
  (wrong: string): NonNullable<Row['follow']> =>
  ([, right = ''], command) => [command.replace(wrong, right)];

const rows: Readonly<Record<string, Row>> = {
  'status without a daemon': { command: 'mcpx status', advice: /Run "(mcpx up)" to start/, afterwards: isRunning },
  'daemon reload without a daemon': {
    command: 'mcpx daemon reload',
    advice: /Run "(mcpx up)" to start it/,
    afterwards: ['mcpx daemon reload', /Nothing has changed since the last reload/],
  },
  'status --watch without a daemon': {
    command: 'mcpx status --watch',
    advice: /Run "(mcpx up)" to start it/,
    afterwards: ['mcpx daemon status', /runs as process \d+/],
  },
  'up without consent': {
    env: { MCPX_TRUST: '' },
    command: 'mcpx up',
    advice: /"(mcpx trust --yes)" without a terminal/,
    afterwards: ['mcpx up', /git is up/],
  },
  'up without a server that starts automatically': {
    servers: [manual],
    command: 'mcpx up',
    advice: /Run "(mcpx start manual)" to start one/,
    afterwards: isRunning,
  },
  'a misspelt server': {
    command: 'mcpx start gti',
    advice: /Did you mean "(git)"\?/,
    follow: instead('gti'),
    afterwards: isRunning,
  },
  'a misspelt command': {
    command: 'mcpx statsu',
    advice: /Did you mean "?(\w+)"?\?/,
    follow: instead('statsu'),
    says: /^git /m,
  },
  'a misspelt tool': {
    command: 'mcpx call git.ehco text=hello',
    advice: /Did you mean "(\S+)"\?/,
    follow: instead('git.ehco'),
    says: /^hello$/m,
  },
  'a misspelt role': {
    files: { 'tools.yaml': 'tools: { app: { role_restrictions: { review: { allowed_tools: [git.echo] } } } }\n' },
    before: ['mcpx discover git'],
    command: 'mcpx search echo --role reviw',
    advice: /Did you mean "(\w+)"\?/,
    follow: instead('reviw'),
    says: /mcp__git__echo/,
  },
  'a server that does not start': {
    servers: [dead],
    command: 'mcpx start dead',
    advice: /Run "(mcpx discover dead --refresh --verbose)" to see all of its output/,
    exitCode: 4,
    says: /dead \| last words/,
  },
  'a call that takes longer': {
    servers: [{ name: 'slow', server: 'slow' }],
    command: 'mcpx call slow.wait ms=1500 --timeout 1',
    advice: /Raise --timeout to wait longer/,
    follow: (_, command) => [command.replace('--timeout 1', '--timeout 60')],
  },
  'a search before any server has listed tools': {
    command: 'mcpx search echo --server git',
    advice: /Add (--refresh) to start it/,
    follow: ([, flag], command) => [`${command} ${flag}`],
    says: /mcp__git__echo/,
  },
  'a pattern that cannot be compiled': {
    before: ['mcpx discover git'],
    command: "mcpx search 'echo**' --regex",
    advice: /leave --regex out to search by words/,
    follow: (_, command) => [command.replace(' --regex', '')],
    says: /mcp__git__echo/,
  },
  'a pattern in the wrong case': {
    before: ['mcpx discover git'],
    command: "mcpx search 'ECHO' --regex",
    advice: /begin with (\(\?i\)) to ignore case/,
    follow: ([, start = ''], command) => [command.replace('ECHO', `${start}ECHO`)],
    says: /mcp__git__echo/,
  },
  'a known list of tools': {
    before: ['mcpx discover git'],
    command: 'mcpx discover git',
    advice: /"(mcpx discover git --refresh)" requests a new list/,
    says: /git offers 8 tools/,
  },
  'tools before any server has listed its own': {
    command: 'mcpx tools',
    advice: /Add (--refresh) to start those with auto_start/,
    follow: ([, option], command) => [`${command} ${option}`],
    says: /mcp__git__echo/,
  },
  'logs without a server': {
    before: ['mcpx up'],
    command: 'mcpx logs',
    advice: /Run "(mcpx logs --events)"/,
    says: /git ready: process \d+/,
  },
  'search without words': { command: 'mcpx search', advice: /Run "(mcpx search --help)"/, says: /--regex/ },
  'a tool that waits for approval': {
    before: ['mcpx pins mode approve git', 'mcpx discover git'],
    command: 'mcpx call git.echo text=hello',
    advice: /Read it with "(mcpx pins diff \S+)", then "(mcpx pins approve \S+)"/,
    follow: ([, read = '', approve = '']) => [read, approve],
    afterwards: ['mcpx call git.echo text=hello', /^hello$/m],
  },
  'tools that wait for approval': {
    before: ['mcpx pins mode approve git', 'mcpx discover git'],
    command: 'mcpx pins',
    advice: /"(mcpx pins diff \S+)", then run "(mcpx pins approve \S+)"/,
    follow: ([, read = '', approve = '']) => [read, approve],
    afterwards: ['mcpx pins', /7 tools wait/],
  },
  'sync without a terminal': {
    files: cursor('{}'),
    command: 'mcpx sync cursor',
    advice: /Add (--yes) to write the changes/,
    follow: ([, flag], command) => [`${command} ${flag}`],
    afterwards: ['mcpx sync cursor --check', /every host app has these servers/],
  },
  'sync over an entry of another program': {
    files: cursor('{ "mcpServers": { "git": { "command": "other" } } }'),
    command: 'mcpx sync cursor --yes',
    advice: /or use (--force)/,
    follow: ([, flag], command) => [`${command} ${flag}`],
    afterwards: ['mcpx sync cursor --check', /every host app has these servers/],
  },
  'a misspelt host app': {
    files: cursor('{}'),
    command: 'mcpx sync cursr --yes',
    advice: /did you mean "(\w+)"\?/,
    follow: instead('cursr'),
    afterwards: ['mcpx sync cursor --check', /every host app has these servers/],
  },
  'a config with a fault': {
    files: { 'mcp_servers.yaml': 'mcp_servers: 7\n' },
    command: 'mcpx status',
    advice: /Run "(mcpx validate)" to see the lines around it/,
    exitCode: 3,
    says: /1 \| mcp_servers: 7/,
  },
  'init without a terminal': {
    files: { 'mcp_servers.yaml': '' },
    before: ['rm mcp_servers.yaml'],
    command: 'mcpx init',
    advice: /Run "(mcpx init --yes)"/,
    afterwards: ['mcpx validate', /no issues/],
  },
};

test.each(Object.entries(rows))('the advice after %s works as it is printed', async (_, row) => {
  const { servers = [git], files, env, before = [], command, advice, says = /^/, afterwards } = row;
  const { follow = ([, advised = '']) => [advised], exitCode = 0 } = row;
  await using user = await shell({ 'mcp_servers.yaml': serversFile(servers), ...files }, env);
  for (const step of before) expect(await user.run(step), step).toMatchObject({ exitCode: 0 });

  const { output } = await user.run(command);
  const match = advice.exec(output);
  if (match === null) throw new Error(`"${command}" gives other advice:\n${output}`);
  const commands = follow(match, command);
  for (const [index, next] of commands.entries()) {
    const isLast = index === commands.length - 1;
    expect(await user.run(next), next).toEqual({
      exitCode: isLast ? exitCode : 0,
      output: expect.stringMatching(isLast ? says : /^/),
    });
  }
  if (afterwards === undefined) return;
  expect(await user.run(afterwards[0]), afterwards[0]).toEqual({
    exitCode: 0,
    output: expect.stringMatching(afterwards[1]),
  });
});

test('a line that mcpx advises for the config works as it is printed', async () => {
  const { command, args } = testServer('echo');
  const program = `if (!process.env.API_KEY) { console.error('API_KEY is not set'); process.exit(1); } import('${args[0]}');`;
  const entry = { command, args: ['-e', program], restart_on_failure: false };
  await using user = await shell(
    { 'mcp_servers.yaml': JSON.stringify({ mcp_servers: { needy: entry } }) },
    { API_KEY: 'key-of-the-user' },
  );
  const { output } = await user.run('mcpx discover needy');
  const [, name = '', value = '', server = ''] =
    /write (\w+): (\S+) under "env" of (\w+) in the config/.exec(output) ?? [];
  expect({ name, server }, output).toEqual({ name: 'API_KEY', server: 'needy' });
  const file = join(user.folder, 'mcp_servers.yaml');
  const config = JSON.parse(await readFile(file, 'utf8'));
  config.mcp_servers[server].env = { [name]: value };
  await writeFile(file, JSON.stringify(config));
  expect(await user.run('mcpx discover needy')).toEqual({ exitCode: 0, output: expect.stringContaining('8 tools') });
});
