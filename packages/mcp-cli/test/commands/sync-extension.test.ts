// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { chmod, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { type UserWorld, userWorld } from '../helpers/user-world.js';

const before = '{\n  // mine\n  "mcpServers": { "db": { "command": "uvx" } }\n}\n';
const codex = '# mine\nmodel = "o9"\n';
const folder = 'extensions/vault-spec';
const manifest = 'provides.mcp = "mcp.json"\nroot_variable = "VAULTSPEC_MCP_ROOT_DIR"\n';
const servers = {
  'vs-subagent-mcp': {
    command: 'python',
    args: ['.vaultspec/lib/scripts/subagent.py', 'serve', '--root', '.'],
    env: { VAULT_TOKEN: '${VAULT_TOKEN}' },
  },
};

async function world(files: Readonly<Record<string, string>> = {}): Promise<UserWorld> {
  const user = await userWorld({
    'project/mcp_servers.yaml': 'mcp_servers: { files: { command: files-mcp } }\n',
    [`project/${folder}/extension.toml`]: manifest,
    [`project/${folder}/mcp.json`]: JSON.stringify({ mcpServers: servers }),
    [`project/${folder}/.venv/bin/python`]: '',
    [`project/${folder}/.venv/Scripts/python.exe`]: '',
    'home/.cursor/mcp.json': before,
    'home/.codex/config.toml': codex,
    ...files,
  });
  await chmod(join(user.project, folder, '.venv/bin/python'), 0o755);
  return user;
}

const env = { VAULT_TOKEN: 'SENTINEL-5f1c9a7e2b' };
const extension = ['--extension', folder];

test('the servers of an extension are shown, written once and removed to the byte', async () => {
  await using user = await world();
  const dry = await user.run(['sync', ...extension, '--dry-run'], { env });
  expect(dry.exitCode).toBe(exitCodes.ok);
  expect(dry.stdout).toContain('add vs-subagent-mcp (cursor-user)\n');
  expect(dry.stdout).toContain('+[mcp_servers.vs-subagent-mcp]\n');
  expect(dry.stdout).toContain(`VAULTSPEC_MCP_ROOT_DIR = "${user.project}"`);
  expect(dry.stdout).toContain(`"VAULTSPEC_MCP_ROOT_DIR": "${user.project}"`);
  expect(dry.stdout).not.toContain('files (cursor-user)');
  expect(await user.read('home/.cursor/mcp.json')).toBe(before);

  expect((await user.run(['sync', ...extension, '--yes'], { env })).exitCode).toBe(exitCodes.ok);
  const written = (await user.read('home/.cursor/mcp.json')).replace('// mine', '');
  expect(JSON.parse(written).mcpServers['vs-subagent-mcp']).toEqual({
    command: expect.stringContaining(join(folder, '.venv')),
    args: ['.vaultspec/lib/scripts/subagent.py', 'serve', '--root', user.project],
    env: { VAULT_TOKEN: '${env:VAULT_TOKEN}', VAULTSPEC_MCP_ROOT_DIR: user.project },
  });
  const again = await user.run(['sync', ...extension, '--check'], { env });
  expect(again).toMatchObject({ exitCode: exitCodes.ok, stdout: 'Nothing to do: every host app has these servers.\n' });

  const removed = await user.run(['sync', ...extension, '--remove', '--yes']);
  expect(removed.stdout).toContain('remove vs-subagent-mcp (cursor-user)\n');
  expect(await user.read('home/.cursor/mcp.json')).toBe(before);
  expect(await user.read('home/.codex/config.toml')).toBe(codex);
  const rest = await user.run(['sync', ...extension, '--remove', '--yes']);
  expect(rest.stdout).toBe('Nothing to do: no host app has servers of this extension.\n');
  expect(user.told()).not.toContain(env.VAULT_TOKEN);
});

test('the config and each extension remove only their own entries', async () => {
  const other = 'project/extensions/other';
  await using user = await world({
    [`${other}/extension.json`]: '{ "provides": { "mcp": "mcp.json" } }',
    [`${other}/mcp.json`]: '{ "mcpServers": { "mail": { "command": "mail-mcp" } } }',
  });
  const names = async () =>
    Object.keys(JSON.parse((await user.read('home/.cursor/mcp.json')).replace('// mine', '')).mcpServers);
  await user.run(['sync', 'cursor', '--yes']);
  await user.run(['sync', 'cursor', ...extension, '--yes']);
  await user.run(['sync', 'cursor', '--extension', 'extensions/other', '--yes']);
  expect(await names()).toEqual(['db', 'files', 'vs-subagent-mcp', 'mail']);
  await user.run(['sync', 'cursor', '--yes']);
  await user.run(['sync', 'cursor', ...extension, '--yes', '--remove']);
  expect(await names()).toEqual(['db', 'files', 'mail']);
  const config = await user.run(['sync', 'cursor', '--yes', '--remove']);
  expect(config.stdout).toMatch(/^remove files \(cursor-user\)\n/);
  expect(await names()).toEqual(['db', 'mail']);
});

test('the entries of an extension can be removed after its folder is gone, even if links led to it', async () => {
  await using user = await world();
  const link = join(user.project, '..', 'link');
  await symlink(user.project, link);
  await user.run(['sync', ...extension, '--yes'], { cwd: link });
  await rm(join(user.project, 'extensions'), { recursive: true });
  const missing = await user.run(['sync', ...extension, '--yes']);
  expect(missing.exitCode).toBe(exitCodes.config);
  expect((await user.run(['sync', ...extension, '--remove', '--yes'])).exitCode).toBe(exitCodes.ok);
  expect(await user.read('home/.cursor/mcp.json')).toBe(before);
});

test('errors of an extension are reported with their position, and nothing is written', async () => {
  await using user = await world({ [`project/${folder}/extension.toml`]: 'provides.mcp = "mcp.jsn"\n' });
  const { exitCode, stdout, stderr } = await user.run(['sync', ...extension, '--yes', '--json'], { env });
  expect(exitCode).toBe(exitCodes.config);
  const place = `${join(user.project, folder, 'extension.toml')}:1:16 error missing-file`;
  expect(stderr).toContain(place);
  expect(stderr).toContain('> 1 | provides.mcp = "mcp.jsn"\n');
  expect(JSON.parse(stdout).error).toMatchObject({
    exitCode,
    details: [expect.stringContaining(place), ...Array(3).fill(expect.anything())],
  });
  expect(await user.read('home/.cursor/mcp.json')).toBe(before);
});

test('warnings of an extension do not keep it from being written', async () => {
  await using user = await world();
  await rm(join(user.project, folder, '.venv'), { recursive: true });
  const { exitCode, stderr } = await user.run(['sync', 'cursor', ...extension, '--yes'], { env });
  expect(stderr).toMatch(/mcp\.json:1:45 warning no-virtual-environment .*\n> 1 \| /);
  expect(exitCode).toBe(exitCodes.ok);
});

test.each([
  [['--extension', folder, '--gateway'], "'--extension <folder>' cannot be used with option '--gateway'"],
  [['--extension', folder, '--config', 'x.yaml'], "'--extension <folder>' cannot be used with option '-c, --config"],
  [['--extension', folder, '--extension', 'other'], 'Name one extension at a time.'],
  [['--remove', '--role', 'review'], "'--remove' cannot be used with option '--role <role>'"],
])('%j make no sense together', async (words, message) => {
  await using user = await world();
  const { exitCode, stderr } = await user.run(['sync', ...words, '--yes'], { env });
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toContain(message);
  expect(await user.read('home/.cursor/mcp.json')).toBe(before);
});
