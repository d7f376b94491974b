// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findHost } from '../../src/adapters/all-hosts.js';
import { type HostServer, readHost, syncHosts } from '../../src/index.js';
import { codesOf, read, written } from '../helpers/round-trip.js';
import { temporaryMachine, textOf } from '../helpers/temporary-machine.js';

// Each entry is one of the host's documentation.

const web: HostServer = { name: 's', transport: 'http', url: 'https://example.com/mcp', headers: {}, enabled: true };

test('Kimi Code names SSE in "transport", and has no type for others', () => {
  expect(written('kimi-code-user', web).entry).toEqual({ url: web.url });
  const events = { ...web, transport: 'sse' } as const;
  expect(written('kimi-code-user', events).entry).toEqual({ transport: 'sse', url: web.url });
  expect(read('kimi-code-user', 's', { transport: 'sse', url: web.url }).server).toEqual(events);
});

test('Kimi Code has tools, a time limit and a switch', () => {
  const entry = { command: 'x', enabled: false, toolTimeoutMs: 5, enabledTools: ['a'], disabledTools: ['b'] };
  expect(read('kimi-code-project', 's', entry)).toMatchObject({
    server: { enabled: false, timeoutMs: 5, allowedTools: ['a'], deniedTools: ['b'] },
    issues: [],
  });
});

test('a bearer token in a variable is its name for Kimi Code', () => {
  const server = { ...web, headers: { Authorization: `Bearer \${TOKEN}` } };
  const entry = { url: web.url, bearerTokenEnvVar: 'TOKEN' };
  expect(written('kimi-code-user', server).entry).toEqual(entry);
  expect(read('kimi-code-user', 's', entry)).toEqual({ server, issues: [] });
});

test('Hermes has its lists of tools inside "tools"', () => {
  const entry = { command: 'x', tools: { include: ['list_*'], exclude: ['drop'] } };
  expect(read('hermes-user', 's', entry)).toMatchObject({
    server: { allowedTools: ['list_*'], deniedTools: ['drop'] },
    issues: [],
  });
  const more = { command: 'x', tools: { include: [], resources: true } };
  const { server, issues } = read('hermes-user', 's', more);
  expect(server).toMatchObject({ allowedTools: [] });
  expect(issues).toMatchObject([{ message: expect.stringContaining('tools.resources') }]);
});

test('Hermes rejects an import with a list that is no list', () => {
  const { server, issues } = read('hermes-user', 's', { command: 'x', tools: { include: 'a' } });
  expect(server).toBeUndefined();
  expect(codesOf(issues)).toEqual(['not-understood']);
});

test('LibreChat replaces variables in the environment, the address and headers', () => {
  const server: HostServer = { ...web, headers: { Authorization: `Bearer \${TOKEN}` } };
  expect(written('librechat-project', server).entry).toEqual({
    type: 'streamable-http',
    url: web.url,
    headers: { Authorization: `Bearer \${TOKEN}` },
  });
  expect(read('librechat-project', 's', { url: web.url }).server).toMatchObject({ transport: 'sse' });
});

test('AnythingLLM has a switch and the suppressed tools among its own settings, and means SSE by a url alone', () => {
  expect(written('anythingllm-user', { ...web, enabled: false }).entry).toEqual({
    type: 'streamable',
    url: web.url,
    anythingllm: { autoStart: false },
  });
  const anythingllm = { autoStart: false, suppressedTools: ['drop'] };
  expect(read('anythingllm-user', 's', { command: 'x', anythingllm })).toMatchObject({
    server: { enabled: false, deniedTools: ['drop'] },
    issues: [],
  });
  const { issues } = read('anythingllm-user', 's', { command: 'x', anythingllm: { ...anythingllm, other: 1 } });
  expect(issues).toMatchObject([{ message: expect.stringMatching(/not read: anythingllm\.other$/) }]);
  expect(read('anythingllm-user', 's', { url: web.url }).server).toMatchObject({ transport: 'sse' });
  expect(read('anythingllm-user', 's', { type: 'http', url: web.url }).server).toMatchObject({ transport: 'http' });
});

test('a server that is switched off keeps the other settings of AnythingLLM', async () => {
  const machine = await temporaryMachine();
  const options = { ...machine.options, hosts: ['anythingllm-user'] };
  const own = { name: 's', transport: 'stdio', command: 'x' } as const;
  const { plan } = await syncHosts([own], options);
  const file = plan.steps[0]?.file ?? '';
  const settings = { autoStart: true, suppressedTools: ['drop'] };
  await writeFile(file, JSON.stringify({ mcpServers: { s: { command: 'x', anythingllm: settings } } }));
  await syncHosts([{ ...own, enabled: false }], options);
  expect(JSON.parse(await textOf(file)).mcpServers.s.anythingllm).toEqual({ ...settings, autoStart: false });
  expect((await syncHosts([{ ...own, enabled: false }], options)).plan.steps).toMatchObject([{ type: 'keep' }]);
});

test.each(['mcphub', 'neovim'])('%s is mcp-hub, which the plugin starts', (name) => {
  expect(findHost(name).id).toBe('mcp-hub');
});

test('Vibe names the transport, and the variable of a bearer token', () => {
  const server = { ...web, headers: { Authorization: `Bearer \${TOKEN}` }, timeoutMs: 1500 };
  expect(written('vibe', server).entry).toEqual({
    name: 's',
    transport: 'streamable-http',
    url: web.url,
    api_key_env: 'TOKEN',
    tool_timeout_sec: 1.5,
  });
});

test('Vibe splits a command into words, so that a path with a space is in quotes', () => {
  const server: HostServer = { name: 's', transport: 'stdio', command: "/opt/it's here/x", args: ['a b'], env: {} };
  const { entry } = written('vibe', server);
  expect(entry).toMatchObject({ transport: 'stdio', command: `'/opt/it'\\''s here/x'`, args: ['a b'] });
  expect(read('vibe', 's', entry).server).toEqual({ ...server, enabled: true });
  const words = { name: 's', transport: 'stdio', command: 'npx -y', args: ['files-mcp'] };
  expect(read('vibe', 's', words).server).toMatchObject({ command: 'npx', args: ['-y', 'files-mcp'] });
  expect(read('vibe', 's', { ...words, command: ['npx', '-y'] }).server).toMatchObject({ args: ['-y', 'files-mcp'] });
});

test('the nested headers of Vibe are read, with the place of a token', () => {
  const auth = {
    type: 'static',
    headers: { 'X-Team': 'a' },
    api_key_env: 'KEY',
    api_key_header: 'X-Key',
    api_key_format: '{token}',
  };
  expect(read('vibe', 's', { name: 's', transport: 'http', url: web.url, auth })).toEqual({
    server: { ...web, headers: { 'X-Team': 'a', 'X-Key': `\${KEY}` } },
    issues: [],
  });
  const { issues } = read('vibe', 's', {
    name: 's',
    transport: 'http',
    url: web.url,
    auth: { type: 'oauth', scopes: [] },
  });
  expect(issues).toMatchObject([{ message: expect.stringContaining('auth') }]);
});

/** An entry of Vibe with a token in a variable. */
const withToken = (format: string | undefined, headers: Readonly<Record<string, string>> = {}) => {
  const auth = { type: 'static', headers, api_key_env: 'KEY', ...(format !== undefined && { api_key_format: format }) };
  return read('vibe', 's', { name: 's', transport: 'http', url: web.url, auth });
};

test.each([
  ['Token {token}', 'Token ${KEY}'],
  ['{token}:{token}', '${KEY}:${KEY}'],
  ['{{a}} {token}', '{a} ${KEY}'],
  ['${{x}} {token}', '$${x} ${KEY}'],
  ['', 'Bearer ${KEY}'],
])('the format %j of a token of Vibe is read as Python reads it', (format, text) => {
  expect(withToken(format)).toEqual({ server: { ...web, headers: { Authorization: text } }, issues: [] });
});

test.each(['Bearer', '{{token}}', '{token', '{token:>5} {token}', '{key} {token}', '${token}'])(
  'the format %j of a token of Vibe is refused, and nothing is appended to it',
  (format) => {
    const { server, issues } = withToken(format);
    expect(server).toBeUndefined();
    expect(issues).toMatchObject([{ code: 'not-understood', message: expect.stringContaining('{token}') }]);
  },
);

test('a header of Vibe wins over its token, in any spelling, and a variable without a name gives none', () => {
  expect(withToken(undefined, { authorization: 'Basic x' }).server).toMatchObject({
    headers: { authorization: 'Basic x' },
  });
  expect(read('vibe', 's', { name: 's', transport: 'http', url: web.url, api_key_env: '' }).server).toEqual(web);
});

test.each(['a.b', '_a', 'a-', 'ü'])('Vibe would change the name %s', (name) => {
  expect(codesOf(written('vibe', { ...web, name }).issues)).toEqual(['name-not-supported']);
});

test('a header joins those that Vibe has in a table of its own', async () => {
  const machine = await temporaryMachine();
  const options = { ...machine.options, hosts: ['vibe'] };
  const server = { name: 's', transport: 'http', url: web.url, headers: { 'X-Team': 'a' } } as const;
  const { plan } = await syncHosts([server], options);
  const file = plan.steps[0]?.file ?? '';
  const start = `[[mcp_servers]]\nname = "s"\ntransport = "streamable-http"\nurl = "${web.url}"\n`;
  expect(await textOf(file)).toBe(`${start}\n[mcp_servers.headers]\nX-Team = "a"\n`);
  await writeFile(file, `${start}\n[mcp_servers.auth]\ntype = "static"\n\n[mcp_servers.auth.headers]\nX-Team = "a"\n`);
  await syncHosts([{ ...server, headers: { 'X-Team': 'b' } }], options);
  expect(await textOf(file)).toBe(
    `${start}\n[mcp_servers.auth]\ntype = "static"\n\n[mcp_servers.auth.headers]\nX-Team = "b"\n`,
  );
});

test('Android Studio has the file of its newest version, and one address for HTTP', async () => {
  const machine = await temporaryMachine();
  const options = { ...machine.options, hosts: ['android-studio'] };
  await expect(syncHosts([web], options)).rejects.toMatchObject({
    code: 'invalid-location',
    missing: 'folder',
    message: expect.stringContaining('start the host once'),
  });
  expect(await readHost('android-studio', machine.options.place)).toMatchObject({
    exists: false,
    servers: [],
    issues: [],
  });
  const google = `${appFolder('.config')}/Google`;
  await machine.file(`home/${google}/AndroidStudio2025.2/mcp.json`, '{"mcpServers":{"mine":{"command":"a"}}}');
  await mkdir(join(machine.home, google, 'AndroidStudio2026.1'));
  const { plan } = await syncHosts([web], options);
  const [{ file = '' } = {}] = plan.steps;
  expect(file).toBe(join(machine.home, google, 'AndroidStudio2026.1/mcp.json'));
  expect(plan.issues.map(({ code }) => code)).toEqual(['conditional-file']);
  expect(JSON.parse(await textOf(file))).toEqual({ mcpServers: { s: { httpUrl: web.url } } });
  expect(codesOf(written('android-studio', { ...web, transport: 'sse' }).issues)).toEqual(['remote-not-supported']);
});

test('Jan says in its settings where its data is', async () => {
  const machine = await temporaryMachine();
  const options = { ...machine.options, hosts: ['jan'] };
  const server: HostServer = { name: 's', transport: 'stdio', command: 'x', enabled: false };
  const folder = appFolder('.local/share');
  const { plan } = await syncHosts([server], options);
  expect(plan.steps[0]?.file).toBe(join(machine.home, folder, 'Jan/data/mcp_config.json'));
  expect(written('jan', server).entry).toEqual({ command: 'x', args: [], active: false });

  const moved = join(machine.home, 'models of jan');
  await machine.file(`home/${folder}/Jan/settings.json`, JSON.stringify({ data_folder: moved }));
  await machine.file('home/models of jan/mcp_config.json', '{"mcpServers":{}}');
  const again = await syncHosts([server], options);
  expect(again.plan.steps).toMatchObject([{ type: 'add', file: join(moved, 'mcp_config.json') }]);

  // As on a drive that is not mounted: Jan has made the folder, so a new one would be another.
  await machine.file(
    `home/${folder}/Jan/settings.json`,
    JSON.stringify({ data_folder: join(machine.home, 'gone/jan') }),
  );
  const before = await machine.tree();
  await expect(syncHosts([server], options)).rejects.toMatchObject({
    code: 'invalid-location',
    missing: 'folder',
    message: expect.stringContaining(`${join(machine.home, 'gone/jan')}, which does not exist`),
  });
  expect(await machine.tree()).toEqual(before);
  expect(await readHost('jan', machine.options.place)).toMatchObject({ exists: false, servers: [] });

  const remote = { command: '', args: [], type: 'http', url: web.url, active: true };
  expect(codesOf(read('jan', 's', remote).issues)).toEqual(['not-understood']);
});

/** Where apps of this system keep their files, below the home directory. */
function appFolder(onLinux: '.config' | '.local/share'): string {
  if (process.platform === 'darwin') return 'Library/Application Support';
  return process.platform === 'win32' ? 'AppData/Roaming' : onLinux;
}
