// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { describe, expect, test } from 'vitest';
import type { HostServer, ServedServer } from '../../src/index.js';
import { fixtureServers, hostFixtures } from '../helpers/fixtures.js';
import { moment, sync, typesOf } from '../helpers/in-memory-sync.js';

const gateway: HostServer = {
  name: 'mcpx',
  transport: 'stdio',
  command: 'mcpx',
  args: ['serve'],
  env: { MCPX_GATEWAY: '1' },
};
const adopt = fixtureServers.map((server) => ({ server }));

describe.each(hostFixtures.map((fixture) => [fixture.host, fixture] as const))('%s', (host, fixture) => {
  const expected = sync(moment(host, fixture.before), [gateway]).after.text;
  const given = sync(moment(host, fixture.after), [gateway], { adopt });
  const entries = given.plan.steps.filter(({ type }) => type === 'remove');

  test('entries of the same servers give way to the gateway, and all other bytes stay', () => {
    expect(entries.map(({ server, servedAs }) => [server, servedAs])).toContainEqual(['demo', 'demo']);
    expect(given.after.text).toBe(expected);
  });

  test('every other entry stays and is named', () => {
    const kept = given.plan.issues.filter(({ code }) => code === 'not-served');
    const before = sync(moment(host, fixture.before), [gateway], { adopt }).plan.issues;
    expect(kept).toEqual(before.filter(({ code }) => code === 'not-served'));
  });

  test('a second run changes nothing', () => {
    expect(sync(given.after, [gateway], { adopt }).plan.files).toEqual([]);
  });
});

interface Kept {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly served?: Partial<ServedServer>;
  readonly says: string;
}

const files: HostServer = {
  name: 'files',
  transport: 'stdio',
  command: 'npx',
  args: ['-y', 'files-mcp'],
  env: { TOKEN: '${TOKEN}' },
};
const same = { command: 'npx', args: ['-y', 'files-mcp'], env: { TOKEN: '${env:TOKEN}' } };

function adopting(entry: object, { server = files, resolved }: Partial<ServedServer> = {}, name = 'files') {
  const text = `${JSON.stringify({ mcpServers: { [name]: entry, db: { command: 'uvx' } } }, null, 2)}\n`;
  return { text, ...sync(moment('roo-user', text), [gateway], { adopt: [{ server, resolved }] }) };
}

test('an entry of another name that starts the same server is removed, too', () => {
  const { plan } = adopting(same, {}, 'my files');
  expect(typesOf(plan)).toEqual(['add mcpx', 'remove my files']);
  expect(plan.steps[1]?.servedAs).toBe('files');
});

test('a value in place of the reference to it is the same, and is not shown', () => {
  const resolved: HostServer = { ...files, env: { TOKEN: 'hunter2-hunter2' }, sensitive: [['env', 'TOKEN']] };
  const { plan } = adopting({ ...same, env: { TOKEN: 'hunter2-hunter2' } }, { resolved });
  expect(typesOf(plan)).toEqual(['add mcpx', 'remove files']);
  expect(JSON.stringify(plan)).not.toContain('hunter2');
});

test.each<Kept>([
  { entry: { ...same, args: ['-y', 'files-mcp', '/srv'] }, says: 'with other values in "args[2]", so it stays' },
  { entry: { ...same, env: { TOKEN: 'secret-of-mine' } }, says: 'with other values in "env.TOKEN", so it stays' },
  { entry: { command: 'npx', args: same.args }, says: 'with other values in "env.TOKEN", so it stays' },
  { entry: { ...same, cwd: '/srv' }, says: 'with other values in "cwd", so it stays' },
  { entry: { ...same, disabled: true }, says: 'with other values in "enabled", so it stays' },
  { entry: { ...same, disabledTools: ['write'] }, says: 'with other values in "denied_tools", so it stays' },
  { entry: { ...same, timeout: 7 }, says: 'with other values in "timeout", so it stays' },
  { entry: { ...same, alwaysAllow: ['read'] }, says: 'are not read: alwaysAllow, so it stays' },
  { entry: { ...same, args: [1, { a: 1 }] }, says: 'args contains a value that is not text, so it stays' },
  {
    entry: same,
    served: { server: { ...files, env: {}, secrets: [{ key: 'TOKEN', reference: 'keychain:token' }] } },
    says: 'the value of "env.TOKEN" cannot be compared: it is a secret reference in the config, so it stays',
  },
  {
    entry: { command: 'npx', args: ['-y', 'files-mcp'] },
    served: { server: { ...files, env: {}, secrets: [{ key: 'TOKEN', reference: 'keychain:token' }] } },
    says: 'the value of "env.TOKEN" cannot be compared',
  },
  {
    entry: { ...same, args: ['-y', 'other-mcp'] },
    served: { server: { ...files, env: {}, secrets: [{ key: 'TOKEN', reference: 'keychain:token' }] } },
    says: 'with other values in "args[1]", "env.TOKEN", so it stays',
  },
])('an entry with something of its own stays, and the reason is said: $says', ({ entry, served, says }) => {
  const { plan, after } = adopting(entry, served);
  expect(typesOf(plan)).toEqual(['add mcpx']);
  expect(plan.issues.map(({ server }) => server)).toEqual(['files', 'db']);
  expect(plan.issues[0]?.message).toContain(says);
  expect(plan.issues[0]?.message).not.toContain('secret-of-mine');
  expect(JSON.parse(after.text ?? '').mcpServers.files).toEqual(entry);
});

test('an input of a host cannot be compared, and the reason says so', () => {
  const entry = { command: 'npx', args: ['-y', 'files-mcp'], env: { TOKEN: '${input:files-token}' } };
  const text = JSON.stringify({ servers: { files: { type: 'stdio', ...entry } } });
  const { plan } = sync(moment('vscode-user', text), [gateway], { adopt: [{ server: files }] });
  expect(typesOf(plan)).toEqual(['add mcpx']);
  expect(plan.issues).toMatchObject([
    {
      code: 'not-served',
      message:
        'The gateway serves "files", but the value of "env.TOKEN" cannot be compared: it is an input that the host asks its user for, so it stays',
      hint: 'if the gateway has the same value, remove this entry by hand',
    },
  ]);
});

test('entries stay where the gateway itself cannot be written', () => {
  const text = JSON.stringify({ mcpServers: { mcpx: { command: 'mine' }, files: same } });
  const { plan } = sync(moment('roo-user', text), [gateway], { adopt: [{ server: files }] });
  expect(typesOf(plan)).toEqual(['conflict mcpx']);
  expect(plan.files).toEqual([]);
});

test('an entry whose tools the host restricts elsewhere stays', () => {
  const rules = { tools: { 'web_*': false }, permission: { web_del: 'deny' } };
  const text = JSON.stringify({ ...rules, mcp: { web: { type: 'local', command: ['node', '/s.js'] } } });
  const server: HostServer = { name: 'web', transport: 'stdio', command: 'node', args: ['/s.js'] };
  const { plan } = sync(moment('opencode-user', text), [gateway], { adopt: [{ server }] });
  expect(typesOf(plan)).toEqual(['add mcpx']);
  expect(plan.issues.map(({ message }) => message)).toEqual([
    'The host restricts tools of this server in its "tools", so it stays',
  ]);
});

test('an entry of a user with a relative path stays, because the gateway has another directory', () => {
  const server: HostServer = { name: 'files', transport: 'stdio', command: 'node', args: ['./server.js'] };
  const { plan } = adopting({ command: 'node', args: ['./server.js'] }, { server });
  expect(typesOf(plan)).toEqual(['add mcpx']);
  expect(plan.issues[0]?.message).toContain('relative path');
});

test('SSE and HTTP differ, also where the config names the transport by type', () => {
  const url = 'https://example.com/mcp';
  const server: HostServer = { name: 'web', transport: 'http', type: 'sse', url };
  const plans = ['http', 'sse'].map((type) => {
    const text = JSON.stringify({ mcpServers: { web: { type, url } } });
    return sync(moment('claude-code-user', text), [gateway], { adopt: [{ server }] }).plan;
  });
  expect(plans.map(typesOf)).toEqual([['add mcpx'], ['add mcpx', 'remove web']]);
});

test('entries of another sync stay', () => {
  const theirs = sync(moment('roo-user', '{}'), [files], { owner: 'another project' });
  const { plan } = sync(theirs.after, [gateway], { adopt: [{ server: files }], owner: 'mine' });
  expect(typesOf(plan)).toEqual(['add mcpx']);
  expect(plan.issues).toMatchObject([{ code: 'not-served', message: 'Another sync wrote this entry, so it stays' }]);
});

test('refuses what is no list of servers', () => {
  expect(() => sync(moment('roo-user', '{}'), [], { adopt: [files] as never })).toThrow(
    new TypeError('adopt must be a list of { server, resolved? }, each with servers as in ours'),
  );
});
