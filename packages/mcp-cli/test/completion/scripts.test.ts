// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configs use such strings
import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { completionScript, shells } from '../../src/completion/scripts.js';
import { daemonStage } from '../helpers/daemon-stage.js';
import { mcpx } from '../helpers/serving.js';
import { onStage, typedTools } from '../helpers/stage-commands.js';
import { type UserWorld, userWorld } from '../helpers/user-world.js';

const run = promisify(execFile);
const config = `mcp_servers:
  files: { command: node }
  web: { url: "https://example.com/mcp" }
`;
const tools = 'tools: { helper: { role_restrictions: { review: { allowed_tools: [files.read] } } } }\n';

/** A user whose `mcpx` is the built one, found on PATH. */
async function world(): Promise<UserWorld & { readonly path: string }> {
  const user = await userWorld({
    'project/mcp_servers.yaml': config,
    'project/tools.yaml': tools,
    'project/my config/x.yaml': '',
    'bin/mcpx': `#!/bin/sh\nexec '${process.execPath}' '${mcpx}' "$@"\n`,
  });
  const bin = join(user.project, '..', 'bin');
  await chmod(join(bin, 'mcpx'), 0o755);
  return { ...user, path: `${bin}:${process.env.PATH}` };
}

/** What bash would offer for a line whose cursor is at its end. */
async function offered(
  user: UserWorld & { readonly path: string },
  words: readonly string[],
): Promise<readonly string[]> {
  const script = `
    source <(mcpx completion bash)
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    _mcpx mcpx "\${COMP_WORDS[COMP_CWORD]}" ""
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['-c', script, 'bash', 'mcpx', ...words], {
    cwd: user.project,
    env: { PATH: user.path, HOME: user.home, XDG_RUNTIME_DIR: join(user.home, '..', 'run') },
  });
  return stdout.split('\n').filter((line) => line !== '');
}

test('a real bash completes commands, options, values, names and files', async () => {
  await using user = await world();
  expect(await offered(user, ['comp'])).toEqual(['completion']);
  expect(await offered(user, ['completion', 'f'])).toEqual(['fish']);
  expect(await offered(user, ['start', ''])).toEqual(['files', 'web']);
  expect(await offered(user, ['start', 'w'])).toEqual(['web']);
  expect(await offered(user, ['search', 'x', '--role', '=', 'r'])).toEqual(['review']);
  expect(await offered(user, ['validate', '--config', 'my'])).toEqual(['my config']);
  expect(await offered(user, ['sync', 'cursor-'])).toContain('cursor-user');
});

test('names come from the cache until the config changes', async () => {
  await using user = await userWorld({ 'project/mcp_servers.yaml': config, 'project/tools.yaml': tools });
  const servers = async (): Promise<string> => (await user.run(['__complete', '--', 'start', ''])).stdout;
  expect(await servers()).toBe('files\tstdio\nweb\thttp\n');
  expect(await servers()).toBe('files\tstdio\nweb\thttp\n');
  await user.write('project/mcp_servers.yaml', 'mcp_servers: { other: { command: x } }\n');
  await user.write('project/tools.yaml', 'tools: {}\n');
  expect(await servers()).toBe('other\tstdio\n');
});

test.each(['start', 'remove', 'enable', 'disable'])('completes %s while variables are unset', async (command) => {
  const servers = { a: { command: 'x ${UNSET_A}', env: { B: '${UNSET_B}' } }, w: { url: 'https://${UNSET_C}/mcp' } };
  await using user = await userWorld({ 'project/mcp_servers.yaml': JSON.stringify({ mcp_servers: servers }) });
  expect((await user.run(['__complete', '--', command, ''])).stdout).toBe('a\tstdio\nw\thttp\n');
});

test('offers no name that a shell could interpret, and prints no error', async () => {
  await using user = await userWorld({
    'project/mcp_servers.yaml': 'mcp_servers: { good: { command: x } }\n',
    'project/tools.yaml':
      'tools: { t: { role_restrictions: { "$(touch x)": { allowed_tools: [] }, "a; b": { allowed_tools: [] }, fine: { allowed_tools: [] } } } }\n',
  });
  const roles = await user.run(['__complete', '--', 'search', 'x', '--role', '']);
  expect(roles.stdout).toBe('fine\t\n');
  await user.write('project/mcp_servers.yaml', 'mcp_servers: { broken');
  expect(await user.run(['__complete', '--', 'start', ''])).toEqual({ exitCode: exitCodes.ok, stdout: '', stderr: '' });
  expect(await user.run(['__complete', '--next', '--', 'daemon'])).toMatchObject({
    stdout: expect.stringMatching(/^status\tshow the daemon/),
  });
});

test.each(['from the cache', 'from a daemon'])('completes public and dotted tool names %s', async (where) => {
  await using stage = await daemonStage([{ name: 'files', server: 'echo' }]);
  await onStage(stage, where === 'from a daemon' ? ['up'] : ['discover', 'files']);
  const values = async (typed: string): Promise<readonly string[]> => {
    const { stdout } = await onStage(stage, ['__complete', '--', 'call', typed]);
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t', 1)[0] ?? '']));
  };
  expect(await values('')).not.toContain('files.echo');
  expect(await values('mcp__files__ec')).toEqual(['mcp__files__echo']);
  expect(await values('files.ec')).toEqual(['files.echo']);
  expect(await values('fil')).toContain('files.echo');
});

test.each(['from the cache', 'from a daemon'])('completes arguments of a tool and their values %s', async (where) => {
  await using stage = await daemonStage([{ name: 'pages', server: 'echo', fields: typedTools }]);
  await onStage(stage, where === 'from a daemon' ? ['up'] : ['discover', 'pages']);
  const lines = async (...words: string[]): Promise<readonly string[]> => {
    const { stdout } = await onStage(stage, ['__complete', '--', ...words]);
    return stdout.split('\n').filter((line) => line !== '');
  };
  const [first, ...others] = await lines('call', 'pages.find_word', '');
  expect(first).toBe('path=\tstring, required, File to read');
  expect(others).toContain('level=\tstring');
  expect(await lines('call', 'mcp__pages__find_word', 'path=x', 'max')).toEqual(['max_lines=\tinteger']);
  expect(await lines('call', 'pages/find_word', 'level=')).toEqual([
    'level=low\tstring',
    'level=high\tstring',
    'level=very high\tstring',
  ]);
  expect(await lines('call', 'pages.find_word', '--deep', '')).toEqual(['true\tboolean', 'false\tboolean']);
  expect(await lines('call', 'pages.find_word', '--ti')).toEqual([
    expect.stringMatching(/^--timeout\ttime limit/),
    '--timeout\tnumber',
  ]);
  expect(await lines('call', 'pages.find_word', '--', '--l')).toEqual(['--level\tstring', '--levels\tarray']);
  expect(await lines('call', 'pages.nosuch', '')).toEqual([]);
  expect(await lines('call', 'https://example.com/mcp', 'x', '')).toEqual([]);
});

test('a real bash completes arguments behind --config, without a blank after the sign', async () => {
  await using user = await world();
  const servers = { mcp_servers: { pages: typedTools } };
  await user.write('other/mcp_servers.yaml', JSON.stringify(servers));
  const env = { HOME: user.home, MCPX_TRUST: '1', PATH: user.path, XDG_RUNTIME_DIR: join(user.home, '..', 'run') };
  await run('mcpx', ['discover', 'pages', '-c', '../other/mcp_servers.yaml'], { cwd: user.project, env });
  const call = ['--config', '../other/mcp_servers.yaml', 'call', 'pages.find_word'];
  expect(await offered(user, [...call.slice(0, 2), 'sta'])).toEqual(['status', 'start']);
  expect(await offered(user, [...call, 'pa'])).toEqual(['path=']);
  expect(await offered(user, [...call, 'path', '=', 'x', 'level', '=', 'h'])).toEqual(['high']);
  expect(await offered(user, [...call, 'level', '='])).toEqual(['low', 'high', 'very\\ high']);
  expect(await offered(user, [...call, 'level', '=', 'very\\ h'])).toEqual(['very\\ high']);
  expect(await offered(user, [...call, 'level', '=', '"very h'])).toEqual(['very high']);
  const short = ['-c../other/mcp_servers.yaml', 'call', 'pages.find_word'];
  expect(await offered(user, [...short, 'pa'])).toEqual(['path=']);
  expect(await offered(user, ['-c../oth'])).toEqual(['-c../other']);
});

test('completion neither resolves nor stores secrets', async () => {
  const secret = 'SENTINEL-5f1c9a7e2b';
  await using user = await userWorld({
    'project/mcp_servers.yaml': `mcp_servers:
  one: { command: x, env: { A: { secret_ref: "command:touch asked" }, B: "\${B}" } }
`,
  });
  const { stdout } = await user.run(['__complete', '--', 'call', ''], { env: { B: secret } });
  expect(stdout).not.toContain(secret);
  await expect(user.read('project/asked')).rejects.toMatchObject({ code: 'ENOENT' });
  const [file] = (await run('find', [join(user.state, 'completion'), '-type', 'f'])).stdout.split('\n');
  expect(await user.read(join('state/completion', file?.split('/').at(-1) ?? ''))).not.toContain(secret);
});

test('the scripts equal the reviewed ones', async () => {
  for (const shell of shells) expect(completionScript(shell)).toMatchSnapshot(shell);
  await using user = await userWorld();
  expect((await user.run(['completion', 'zsh'])).stdout).toBe(completionScript('zsh'));
  const unknown = await user.run(['completion', 'tcsh']);
  expect(unknown.exitCode).toBe(exitCodes.usage);
  expect(unknown.stderr).toContain('Allowed choices are bash, zsh, fish, pwsh.');
});

test.each(['bash'] as const)('%s accepts its script', async (shell) => {
  await run(shell, ['-n', '-c', completionScript(shell)]);
});
