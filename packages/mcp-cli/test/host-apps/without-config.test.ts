// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { faultsOf } from '../helpers/output-schema.js';
import { markedEcho, userMachine } from '../helpers/user-machine.js';

afterEach(expectNoLeaks);

const secret = 'SENTINEL-5f1c9a7e2b';

const cursor = (servers: object): string => JSON.stringify({ mcpServers: servers }, null, 2);
const code = (servers: object): string => JSON.stringify({ servers }, null, 2);

const editors = {
  'home/.cursor/mcp.json': cursor({
    files: markedEcho(),
    both: markedEcho({}, 'cursor'),
    github: markedEcho({ env: { TOKEN: '${env:NOT_SET_ANYWHERE}' } }),
    inline: markedEcho({ env: { API_TOKEN: secret } }),
  }),
  'home/.gemini/settings.json': cursor({
    'same-as-files': markedEcho(),
    both: markedEcho({}, 'gemini'),
    mcpx: { command: 'mcpx', args: ['serve'] },
  }),
  'home/.codex/config.toml': `[mcp_servers.off]\ncommand = "node"\nargs = ["x.js"]\nenabled = false\n`,
};

test('without a config, the servers of all host apps are there, and nothing is written', async () => {
  await using ann = await userMachine(editors);
  const { servers, leftOut } = await ann.list();
  const at = (path: string): string => join(ann.folder, 'home', path);
  expect(servers.map(({ name, state, file }) => [name, state, file])).toEqual([
    ['files', 'stopped', at('.cursor/mcp.json')],
    ['both', 'stopped', at('.cursor/mcp.json')],
    ['github', 'stopped', at('.cursor/mcp.json')],
    ['inline', 'stopped', at('.cursor/mcp.json')],
    ['both-gemini-cli', 'stopped', at('.gemini/settings.json')],
    ['off', 'stopped', at('.codex/config.toml')],
  ]);
  expect(servers.find(({ name }) => name === 'off')).toMatchObject({ disabled: true });
  expect(servers.find(({ name }) => name === 'github')).toMatchObject({
    needs: [{ kind: 'variable', name: 'NOT_SET_ANYWHERE' }],
  });
  expect(leftOut).toEqual([{ file: at('.gemini/settings.json'), server: 'mcpx', reason: 'it is mcpx itself' }]);
  expect(faultsOf('list', { servers, leftOut })).toEqual([]);

  expect(await ann.run(['call', 'files.echo', 'text=hello'])).toMatchObject({
    exitCode: exitCodes.ok,
    stdout: 'hello\n',
  });
  for (const [path, text] of Object.entries(editors)) {
    const now = await readFile(join(ann.folder, path), 'utf8');
    expect(now.replace(/[0-9a-f-]{36}/g, 'MARK')).toBe(text);
  }
});

test('the daemon starts them once for every folder, and a server without its variable is the only one out', async () => {
  await using ann = await userMachine({ ...editors, 'one/x': '', 'two/x': '' });
  const up = await ann.run(['up'], { cwd: 'one' });
  expect(up.exitCode).toBe(exitCodes.startFailed);
  expect(up.stdout).toContain('files is up');
  expect(up.stderr).toContain('NOT_SET_ANYWHERE');
  const started = await ann.processes();
  expect(await ann.run(['call', 'both-gemini-cli.echo', 'text=hi'], { cwd: 'two' })).toMatchObject({ stdout: 'hi\n' });
  expect((await ann.run(['search', 'echo'], { cwd: 'two' })).stdout).toContain('mcp__inline__echo');
  expect((await ann.processes()).map(({ pid }) => pid).toSorted()).toEqual(started.map(({ pid }) => pid).toSorted());
  const table = await ann.run(['list'], { cwd: 'two' });
  expect(table.stdout).toMatch(/files +● running +\d+ +\S*\.cursor\/mcp\.json/);
  const told = [up, table, await ann.run(['status', '--json']), await ann.run(['validate'])];
  for (const { stdout, stderr } of told) expect(stdout + stderr).not.toContain(secret);
});

test('--from chooses the host app, and has a daemon of its own', async () => {
  await using ann = await userMachine(editors);
  const gemini = await ann.list(['--from', 'gemini-cli']);
  expect(gemini.servers.map(({ name }) => name)).toEqual(['same-as-files', 'both']);
  await ann.run(['up', '--from', 'gemini-cli']);
  expect((await ann.run(['daemon', 'status', '--from', 'gemini-cli'])).exitCode).toBe(exitCodes.ok);
  expect((await ann.run(['daemon', 'status'])).exitCode).toBe(exitCodes.failed);
  expect(await ann.run(['call', '--from', 'gemini-cli', 'both.echo', 'text=hi'])).toMatchObject({ stdout: 'hi\n' });
});

test('beside --from, a server of the named config wins, and list says so', async () => {
  const ofConfig = JSON.stringify({ mcp_servers: { both: { ...markedEcho({}, 'config'), auto_start: true } } });
  await using ann = await userMachine({
    'clone/mcp_servers.yaml': ofConfig,
    'clone/.cursor/mcp.json': cursor({ both: markedEcho({}, 'clone'), extra: markedEcho({}, 'extra') }),
    'home/.config/mcpx/mcp_servers.yaml': ofConfig.replace('"both"', '"mine"'),
    'home/.cursor/mcp.json': cursor({ mine: markedEcho({}, 'cursor') }),
  });
  const words = ['--config', '.', '--from', 'cursor'];
  const { servers, leftOut } = await ann.list(words, { cwd: 'clone' });
  const at = (path: string): string => join(ann.folder, path);
  expect(servers.map(({ name, file }) => [name, file])).toEqual([
    ['both', at('clone/mcp_servers.yaml')],
    ['mine', at('home/.config/mcpx/mcp_servers.yaml')],
    ['extra', at('clone/.cursor/mcp.json')],
  ]);
  expect(leftOut).toEqual([
    {
      file: at('home/.cursor/mcp.json'),
      server: 'mine',
      reason: '~/.config/mcpx/mcp_servers.yaml has a server of this name, which is used',
    },
    {
      file: at('clone/.cursor/mcp.json'),
      server: 'both',
      reason: 'mcp_servers.yaml has a server of this name, which is used',
    },
  ]);
});

test('a host app that is not known is a usage error with the nearest name', async () => {
  await using ann = await userMachine(editors);
  for (const command of ['list', 'up', 'status']) {
    const { exitCode, stderr } = await ann.run([command, '--from', 'cursr']);
    expect(stderr).toContain('did you mean "cursor"');
    expect(exitCode).toBe(exitCodes.usage);
  }
});

test("a clone's file of an editor needs consent, and takes no name of the user's servers", async () => {
  await using ann = await userMachine({
    'home/.cursor/mcp.json': cursor({ files: markedEcho() }),
    'clone/.cursor/mcp.json': cursor({
      files: markedEcho({}, 'foreign'),
      extra: markedEcho({ cwd: '${workspaceFolder}/src' }, 'extra'),
    }),
    'clone/.vscode/mcp.json': code({ asks: markedEcho({ env: { TOKEN: '${input:some-token}' } }) }),
    'clone/src/deep/x': '',
  });
  const { servers } = await ann.list([], { cwd: 'clone/src/deep' });
  const own = { file: join(ann.folder, 'home/.cursor/mcp.json') };
  expect(servers.find(({ name }) => name === 'files')).toMatchObject(own);
  expect(servers.find(({ name }) => name === 'files')).not.toHaveProperty('waitsForConsent');
  const foreign = { file: join(ann.folder, 'clone/.cursor/mcp.json'), waitsForConsent: true };
  expect(servers.find(({ name }) => name === 'files-cursor')).toMatchObject(foreign);
  expect(servers.find(({ name }) => name === 'extra')).toMatchObject(foreign);
  expect(servers.find(({ name }) => name === 'asks')).toMatchObject({
    needs: [{ kind: 'variable', name: 'SOME_TOKEN' }],
  });

  const up = await ann.run(['up'], { cwd: 'clone' });
  expect(up.exitCode).not.toBe(exitCodes.ok);
  expect((await ann.processes()).length).toBe(1);
  const asked = await ann.run(['trust'], { cwd: 'clone' });
  expect(asked.stderr).toContain(`${join(ann.folder, 'clone/.cursor/mcp.json')}:`);
  expect(asked.stderr).not.toContain(join(ann.folder, 'home/.cursor/mcp.json'));
  await ann.run(['trust', '--yes'], { cwd: 'clone' });
  expect(await ann.run(['call', 'extra.echo', 'text=hi'], { cwd: 'clone/src' })).toMatchObject({ stdout: 'hi\n' });
  expect((await ann.list([], { cwd: '.' })).servers.map(({ name }) => name)).toEqual(['files']);
});

test('the folder of an editor is a variable in a file of the user, for which no folder is open', async () => {
  await using ann = await userMachine({
    'home/.config/Code/User/mcp.json': code({ files: markedEcho({}, '${workspaceFolder}/src') }),
  });
  const { servers } = await ann.list();
  expect(servers).toMatchObject([{ name: 'files', needs: [{ kind: 'variable', name: 'WORKSPACE_FOLDER' }] }]);
  const call = ['call', 'files.echo', 'text=hi'];
  expect((await ann.run(call)).stderr).toContain('needs a value for WORKSPACE_FOLDER');
  expect(await ann.run(call, { env: { WORKSPACE_FOLDER: ann.folder } })).toMatchObject({ stdout: 'hi\n' });
});

test('an edit of an editor is in effect with the next command, and a config takes the place of the editors', async () => {
  await using ann = await userMachine({
    'home/.cursor/mcp.json': cursor({ one: markedEcho({}, 'one') }),
    'work/x': '',
  });
  await ann.run(['up'], { cwd: 'work' });
  await ann.write('home/.cursor/mcp.json', cursor({ one: markedEcho({}, 'one'), two: markedEcho({}, 'two') }));
  expect(await ann.run(['call', 'two.echo', 'text=hi'], { cwd: 'work' })).toMatchObject({ stdout: 'hi\n' });
  await ann.write(
    'home/.config/mcpx/mcp_servers.yaml',
    JSON.stringify({ mcp_servers: { own: { ...markedEcho({}, 'own'), auto_start: true } } }),
  );
  expect(await ann.run(['call', 'own.echo', 'text=hi'], { cwd: 'work' })).toMatchObject({ stdout: 'hi\n' });
  expect((await ann.list([], { cwd: 'work' })).servers.map(({ name }) => name)).toEqual(['own']);
});

test('without a config and without host apps, the error shows the smallest config', async () => {
  await using ann = await userMachine({});
  const { exitCode, stderr } = await ann.run(['list']);
  expect(exitCode).toBe(exitCodes.config);
  expect(stderr).toContain('mcp_servers.yaml');
});

test('validate shows the own lines of an app, sync says what it needs, and ls means list', async () => {
  const text = `{
  "servers": {
    "plain": { "command": "node" },
    "asks": {
      "env": { "MODE": "fast", "NAME": "\${env:NOT_SET_ANYWHERE}" },
      "command": "node"
    }
  }
}`;
  await using ann = await userMachine({ 'home/.cursor/mcp.json': text.replace('servers', 'mcpServers') });
  const file = 'home/.cursor/mcp.json';
  const { stderr, exitCode } = await ann.run(['validate']);
  expect(exitCode).toBe(exitCodes.config);
  expect(stderr).toContain(`${file}:5:32 error unset-variable`);
  expect(stderr).toContain('> 5 |       "env": { "MODE": "fast", "NAME": "${env:NOT_SET_ANYWHERE}" },\n');
  const { issues } = JSON.parse((await ann.run(['validate', '--json'])).stdout);
  expect(issues).toMatchObject([{ file, line: 5, column: 32 }]);

  const synced = await ann.run(['sync']);
  expect(synced.exitCode).toBe(exitCodes.config);
  expect(synced.stderr).toContain('There is no MCP configuration');
  expect(synced.stderr).toContain('mcpx init --from all');
  expect(synced.stderr).not.toContain('have none here');

  expect((await ann.run(['ls'])).stdout).toBe((await ann.run(['list'])).stdout);
});
