// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { chmod, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveExtension } from '@x/mcp-config-schema/extension';
import { currentPlace, type HostPlace, syncHosts } from '@x/mcp-host-sync';
import { expect, test } from 'vitest';
import { project } from '../helpers/project.js';

const isWindows = process.platform === 'win32';
const hosts = ['claude-code-project', 'roo-project', 'junie-project', 'jetbrains-ai-assistant-project', 'zed-project'];

const zedSettings = `// My settings
{
  "theme": "One Dark", // dark
  "context_servers": {
    "mine": { "command": "my-server", "args": [] },
  },
}
`;

const files = {
  'extension/extension.toml': 'provides.mcp = "mcp.json"\nroot_variable = "VAULTSPEC_MCP_ROOT_DIR"\n',
  'extension/mcp.json': `{
  "mcpServers": {
    "vs-subagent-mcp": {
      "command": "python",
      "args": [".vaultspec/lib/scripts/subagent.py", "serve", "--root", "."],
      "env": {}
    }
  }
}
`,
  '.vaultspec/lib/scripts/subagent.py': '',
  '.zed/settings.json': zedSettings,
};

test('an extension’s server gets into the files of Claude, Roo, JetBrains and Zed, and out of them again', async () => {
  const interpreter = isWindows ? 'extension/.venv/Scripts/python.exe' : 'extension/.venv/bin/python';
  await using stage = await project({ ...files, [interpreter]: '' });
  const root = await realpath(stage.folder);
  const python = join(root, ...interpreter.split('/'));
  await chmod(python, 0o755);
  const place: HostPlace = {
    ...currentPlace({ project: root }),
    env: {},
    home: join(root, 'home'),
  };
  const options = { hosts, place, stateDirectory: join(root, 'state'), owner: 'vault-spec' };
  const textOf = (path: string) => readFile(join(root, ...path.split('/')), 'utf8');

  const { servers } = await resolveExtension(join(root, 'extension'), { root });
  const { plan } = await syncHosts(servers, options);
  expect(plan.issues).toMatchObject([{ code: 'conditional-file', host: 'claude-code-project' }]);
  expect(plan.steps.map(({ host, type, server }) => `${host}: ${type} ${server}`)).toEqual(
    hosts.map((host) => `${host}: add vs-subagent-mcp`),
  );

  const entry = {
    command: python,
    args: ['.vaultspec/lib/scripts/subagent.py', 'serve', '--root', root],
    env: { VAULTSPEC_MCP_ROOT_DIR: root },
  };
  for (const path of ['.mcp.json', '.roo/mcp.json', '.junie/mcp/mcp.json', '.ai/mcp/mcp.json']) {
    expect(JSON.parse(await textOf(path)).mcpServers['vs-subagent-mcp'], path).toMatchObject(entry);
  }
  const zed = await textOf('.zed/settings.json');
  expect(zed).toContain('"theme": "One Dark", // dark');
  expect(zed).toContain('"mine": { "command": "my-server", "args": [] },');
  expect(zed).toContain(JSON.stringify(python));

  const again = await syncHosts(servers, options);
  expect(again.plan.files).toEqual([]);

  await syncHosts([], options);
  expect(await textOf('.zed/settings.json')).toBe(zedSettings);
});

test('a secret of an extension reaches the file of a host as a reference, never as a value', async () => {
  await using stage = await project({
    ...files,
    'extension/mcp.json': JSON.stringify({
      mcpServers: { a: { command: 'a', env: { ONE: '${env:TOKEN}', TWO: { secret_ref: 'env:TOKEN' } } } },
    }),
  });
  const root = await realpath(stage.folder);
  const place: HostPlace = { platform: 'linux', env: {}, home: join(root, 'home'), project: root };
  const env = { TOKEN: 'sesame' };
  const { servers } = await resolveExtension(join(root, 'extension'), { root, env });
  const stateDirectory = join(root, 'state');
  await syncHosts(servers, { hosts: ['claude-code-project', 'roo-project'], place, stateDirectory });
  const claude = await readFile(join(root, '.mcp.json'), 'utf8');
  expect(JSON.parse(claude).mcpServers.a.env).toMatchObject({ ONE: '${TOKEN}', TWO: '${TOKEN}' });
  const roo = await readFile(join(root, '.roo', 'mcp.json'), 'utf8');
  expect(JSON.parse(roo).mcpServers.a.env).toMatchObject({ ONE: '${env:TOKEN}', TWO: '${env:TOKEN}' });
  expect(claude + roo).not.toContain('sesame');
});
