// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { beforeEach, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { type UserWorld, userWorld } from '../helpers/user-world.js';

const secret = 'SENTINEL-adopt-4c1f';
const config = `mcp_servers:
  github: { command: "npx -y github-mcp", env: { GITHUB_TOKEN: "\${GITHUB_TOKEN}" }, auto_start: true }
  docs: { url: "https://example.com/mcp", auto_start: true }
  manual: { command: uvx, args: [manual-mcp] }
  half: { command: uvx, args: [half-mcp], env: { KEY: "\${HALF_KEY}" }, auto_start: true }
`;

/** Texts of host apps' files. \`«…»\` surrounds what the gateway replaces. */
const apps: Readonly<Record<string, string>> = {
  '.cursor/mcp.json': `{
  "mcpServers": {
    "db": { "command": "uvx",   "args": ["db-mcp"] },«
    "github": {
      "command": "npx",
      "args": ["-y", "github-mcp"],
      "env": { "GITHUB_TOKEN": "${secret}" }
    },»
    "manual": { "command": "uvx", "args": ["manual-mcp"] }
  }
}
`,
  '.config/Code/User/mcp.json': `{
  // what I use
  "servers": {«
    "gh": { "type": "stdio", "command": "npx", "args": ["-y", "github-mcp"], "env": { "GITHUB_TOKEN": "\${env:GITHUB_TOKEN}" } },»
    "docs": { "type": "http", "url": "https://example.com/mcp", "gallery": true }, // from the gallery
  },
  "inputs": [{ "id": "token", "type": "promptString", "description": "a token", "password": true }],
}
`,
  '.claude.json': `{
  "numStartups": 12,
  "mcpServers": {
    "docs": { "type": "http", "url": "https://example.com/mcp", "headers": { "X-Team": "a" } }«,
    "github": { "type": "stdio", "command": "npx", "args": ["-y", "github-mcp"], "env": { "GITHUB_TOKEN": "\${GITHUB_TOKEN}" } }»
  },
  "projects": { "/srv/app": { "mcpServers": {} } }
}
`,
  '.codex/config.toml': `model = "gpt-5" # mine

[mcp_servers.docs]
url = "https://example.com/mcp"
default_tools_approval_mode = "approve"

«[mcp_servers.github]
command = "npx"
args = ["-y", "github-mcp"]
env_vars = ["GITHUB_TOKEN"]

»[tui]
theme = "dark"
`,
  '.config/zed/settings.json': `// Zed settings
{
  "context_servers": {
    /* ours */
    "half": { "command": "uvx", "args": ["half-mcp"], "env": { "KEY": "x" } },«
    "documents": { "url": "https://example.com/mcp" },»
  },
  "vim_mode": true,
}
`,
};

const plain = (text: string): string => text.replace(/[«»]/g, '');

let user: UserWorld & AsyncDisposable;

beforeEach(async () => {
  const homes = Object.entries(apps).map(([file, text]) => [`home/${file}`, plain(text)]);
  user = await userWorld({ 'project/mcp_servers.yaml': config, ...Object.fromEntries(homes) });
  await user.run(['trust', '--yes'], { env });
  return () => user[Symbol.asyncDispose]();
});

const env = { GITHUB_TOKEN: secret };
const hosts = ['cursor', 'vscode-user', 'claude-code-user', 'codex', 'zed-user'];

test('adopting replaces entries of the same servers and leaves every other byte; undo restores the files', async () => {
  const plan = await user.run(['sync', ...hosts, '--adopt', '--dry-run'], { env });
  expect(plan.stdout).toContain('remove github (cursor-user): the gateway serves it\n');
  expect(plan.stdout).toContain('remove gh (vscode-user): the gateway serves it as github\n');
  expect(plan.stdout).toContain('remove documents (zed-user): the gateway serves it as docs\n');
  for (const [file, text] of Object.entries(apps)) expect(await user.read(`home/${file}`)).toBe(plain(text));

  const done = await user.run(['sync', ...hosts, '--adopt', '--yes'], { env });
  expect(done.exitCode).toBe(exitCodes.ok);
  expect(done.stderr).toContain('"mcpx config undo" puts all of it back.');
  const withGateway = await Promise.all(Object.keys(apps).map((file) => user.read(`home/${file}`)));
  expect(user.told()).not.toContain(secret);

  expect((await user.run(['sync', ...hosts, '--gateway', '--adopt', '--check'], { env })).exitCode).toBe(exitCodes.ok);
  expect((await user.run(['config', 'undo'], { env })).exitCode).toBe(exitCodes.ok);
  for (const [file, text] of Object.entries(apps)) expect(await user.read(`home/${file}`)).toBe(plain(text));

  // The same as the gateway entry in files that never had the adopted entries.
  for (const [file, text] of Object.entries(apps)) await user.write(`home/${file}`, text.replace(/«[^»]*»/g, ''));
  await user.run(['sync', ...hosts, '--gateway', '--yes'], { env });
  expect(await Promise.all(Object.keys(apps).map((file) => user.read(`home/${file}`)))).toEqual(withGateway);
});

test('what the gateway would not serve stays, and each reason is said', async () => {
  const { stdout, stderr } = await user.run(['sync', ...hosts, '--adopt', '--dry-run'], { env });
  expect(stderr).toContain(
    'warning: Entries of manual stay: the gateway does not start it, because it has no auto_start.\n',
  );
  expect(stderr).toContain('warning: Entries of half stay: HALF_KEY is not set.\n');
  for (const said of [
    'db (cursor-user): The gateway does not serve this server, so it stays',
    'manual (cursor-user): The gateway does not serve this server, so it stays',
    'docs (vscode-user): These fields have no counterpart and are not read: gallery, so it stays',
    'docs (claude-code-user): The gateway serves "docs" with other values in "headers.x-team", so it stays',
    'docs (codex-user): These fields have no counterpart and are not read: default_tools_approval_mode, so it stays',
    'half (zed-user): The gateway does not serve this server, so it stays',
  ]) {
    expect(stdout).toContain(`warning not-served ${said}\n`);
  }
});

test('servers without consent are not adopted', async () => {
  await user.write('project/mcp_servers.yaml', config.replace('github-mcp', 'github-mcp --verbose'));
  const { stderr, stdout } = await user.run(['sync', 'cursor', '--adopt', '--dry-run'], { env });
  expect(stderr).toContain(
    'Entries of github stay: the gateway needs your consent to start it, which "mcpx trust" gives.',
  );
  expect(stdout).not.toContain('remove ');
  expect(stdout).toMatch(/^warning not-served github \(cursor-user\): .*, so it stays\n(?! )/m);
});

test('--adopt cannot be combined with a role, which may hide tools', async () => {
  const { exitCode, stderr } = await user.run(['sync', 'cursor', '--adopt', '--role', 'review'], { env });
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toContain("'--role <role>'");
});
