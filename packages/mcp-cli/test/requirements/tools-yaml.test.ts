import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { createClientManager } from '@x/mcp-client-manager';
import { checkConfig } from '@x/mcp-config-schema';
import { createRegistry } from '@x/mcp-registry';
import type { AuditEvent } from '@x/mcp-registry/audit';
import { compileRole } from '@x/mcp-registry/roles';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterAll, expect } from 'vitest';
import { parse } from 'yaml';
import { row, sample } from './row.js';
import { sampleFiles, sampleProject } from './sample-servers.js';

afterAll(expectNoLeaks);

const long = sample('server-integration/tools.yaml');
const short = sample('server-integration/tools-short.yaml');
const servers = { file: 'config/mcp_servers.yaml', text: sample('server-integration/mcp_servers.yaml') };

const check = (text: string) => checkConfig({ file: 'config/tools.yaml', text });
const checkTool = (tool: object) => check(JSON.stringify({ tools: { app: tool } }));
const tool = () => check(long).config?.tools[0];

row(54, async () => {
  await using here = await sampleProject();
  expect((await here.run('validate')).exitCode).toBe(0);
  expect(check(long).issues).toEqual([]);
});

row(55, async () => {
  await using here = await sampleProject({ 'tools.yaml': short });
  expect((await here.run('validate', '-c', 'tools.yaml')).exitCode).toBe(0);
});

row(56, async () => {
  await using here = await sampleProject({ 'config/tools.yaml': long });
  const { exitCode, stdout } = await here.run('validate');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('claude-code');
  expect((await here.run('requirements')).stdout).toMatch(/✗ required +filesystem: not-configured/);
});

row(57, () => expect(check(long).config?.tools.map(({ name }) => name)).toEqual(['claude-code']));

row(58, () => expect(tool()?.binary).toBe('claude'));

row(59, () => expect(tool()?.commandTemplate).toBe('{binary} {prompt_file} --model {model}'));

row(60, () => expect(tool()?.models).toEqual(['claude-3.5-sonnet', 'claude-3-opus']));

row(61, () => {
  expect(sample('server-integration/tool-fields.py')).toContain('# ... existing fields ...');
  const { config, issues } = checkTool({ binary: 'claude', timeout_seconds: 30, platforms: ['linux'] });
  expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(config?.tools).toHaveLength(1);
});

/** The tiers of the shortest sample, in an entry of a program. */
const mission = parse(sample('server-integration/mission.yaml')) as {
  mcp_tools: Record<'required' | 'recommended' | 'optional', string[]>;
};

function expectTier(tier: keyof typeof mission.mcp_tools): void {
  expect(sample('server-integration/tool-fields.py')).toContain(`${tier}: list[str] = Field(default_factory=list`);
  expect(checkTool(mission).config?.tools[0]?.mcpTools[tier]).toEqual(mission.mcp_tools[tier]);
  expect(checkTool({ mcp_tools: {} }).config?.tools[0]?.mcpTools[tier]).toEqual([]);
}

row(62, () => expectTier('required'));

row(63, () => expectTier('recommended'));

row(64, () => expectTier('optional'));

row(65, () => {
  const fields = ['tool-fields', 'server-fields'].flatMap((name) =>
    Array.from(
      sample(`server-integration/${name}.py`).matchAll(/^ +(\w+): Optional\[.* = None/gm),
      ([, field]) => field,
    ),
  );
  expect(fields).toEqual(['mcp_tools', 'role_restrictions', 'tool', 'args']);
  expect(checkTool({ mcp_tools: null, role_restrictions: null }).issues).toEqual([]);
  const server = { command: 'x', health_check: { method: 'ping', tool: null, args: null } };
  expect(checkConfig({ text: JSON.stringify({ mcp_servers: { s: server } }) }).issues).toEqual([]);
});

row(66, () => {
  expect(sample('server-integration/tool-fields.py')).toContain('allowed_tools: list[str] = Field(description');
  expect(checkTool({ role_restrictions: { review: {} } }).issues).toMatchObject([{ code: 'missing-key' }]);
});

row(67, () => {
  const mayReview = compileRole(check(long).config?.roles ?? [], 'review');
  const allowed = [
    { server: 'filesystem', tool: 'read' },
    { server: 'git', tool: 'log' },
    { server: undefined, tool: 'grep' },
  ];
  expect(allowed.map((subject) => mayReview(subject).isAllowed)).toEqual([true, true, true]);
  expect(mayReview({ server: 'filesystem', tool: 'write' }).isAllowed).toBe(false);

  const native = Array.from(
    sample('server-integration/native-roles.py').matchAll(/role == "(\w+)":\s+allowed = (\[.*\])/g),
    ([, role = '', list = '']) => ({ role, allowedTools: JSON.parse(list) as string[] }),
  );
  const reads = compileRole(native, 'review');
  expect(['Read', 'Grep', 'Write'].map((name) => reads({ server: undefined, tool: name }).isAllowed)).toEqual([
    true,
    true,
    false,
  ]);
  const nested = checkTool(parse(sample('server-integration/role_restrictions.yaml')));
  expect(nested.config?.roles.map(({ role }) => role)).toEqual(['implementation', 'review']);
});

row(68, async () => {
  await using here = await sampleProject();
  await here.run('discover', 'filesystem');
  expect((await here.run('roles')).stderr).toMatch(/"filesystem\.read".*read_file/);
  expect((await here.run('validate')).stderr).toMatch(/rule-matches-nothing .*"filesystem\.read"/);
});

row(69, () => {
  const both = { mcp_tools: { required: ['git'], optional: ['git'] } };
  expect(checkTool(both).issues).toMatchObject([{ code: 'conflicting-tiers', severity: 'error' }]);
});

row(70, () => {
  const text = JSON.stringify({ mcp_servers: { other: { command: 'x' } } });
  const { issues } = checkConfig([
    { file: 'mcp_servers.yaml', text },
    { file: 'tools.yaml', text: short },
  ]);
  const required = issues.flatMap((issue) => (issue.code === 'missing-required-server' ? [issue.server] : []));
  expect(required).toEqual(['filesystem', 'git']);
});

row(71, async () => {
  const script = "require('fs').writeFileSync('started', '')";
  const text = JSON.stringify({ mcp_servers: { s: { command: [process.execPath, '-e', script], auto_start: true } } });
  await using here = await sampleProject({ 'mcp_servers.yaml': text });
  expect((await here.run('validate')).exitCode).toBe(0);
  await expect(access(join(here.folder, 'started'))).rejects.toMatchObject({ code: 'ENOENT' });
});

const unknownInRole = long.replace('git.log, grep', 'gti.log, grep');

row(72, async () => {
  await using here = await sampleProject({ ...sampleFiles, 'config/tools.yaml': unknownInRole });
  const usual = await here.run('validate');
  expect(usual.exitCode).toBe(0);
  expect(usual.stderr).toMatch(/warning unknown-server .*"gti"/);
  const strict = await here.run('validate', '--strict');
  expect(strict.exitCode).toBe(3);
  expect(strict.stderr).toMatch(/error unknown-server .*"gti"/);
  expect(strict.stderr).toContain('"git"');
});

row(73, () => {
  const { issues } = checkConfig([servers, { file: 'config/tools.yaml', text: unknownInRole }]);
  const [issue] = issues.filter((each) => each.code === 'unknown-server' && each.server === 'gti');
  expect(issue?.path.slice(0, 4)).toEqual(['tools', 'claude-code', 'role_restrictions', 'review']);
});

row(74, async () => {
  await using here = await sampleProject({ 'mcp_servers.yaml': 'mcp_servers: {}\n', 'tools.yaml': short });
  const { exitCode, stdout } = await here.run('requirements');
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/✗ required +git: not-configured/);
});

const twoServers = JSON.stringify({ mcp_servers: { filesystem: { command: 'npx' }, git: { command: 'npx' } } });

row(75, async () => {
  await using here = await sampleProject({ 'mcp_servers.yaml': twoServers, 'tools.yaml': short });
  const { exitCode, stdout } = await here.run('requirements');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/! recommended code-search: not-configured/);
  expect((await here.run('requirements', '--strict')).exitCode).toBe(1);
});

row(76, async () => {
  await using here = await sampleProject();
  const { exitCode, stderr } = await here.run('validate', '--strict');
  expect(exitCode).toBe(0);
  const about = stderr.split('\n').filter((line) => /github|gitlab/.test(line));
  expect(about.length).toBeLessThanOrEqual(1);
  expect(stderr).not.toContain('did you mean');
  expect(stderr).not.toContain('warning');
});

row(77, async () => {
  const [, ...words] = sample('server-integration/requirements-command.txt').trim().slice(2).split(' ');
  await using here = await sampleProject();
  const { exitCode, stderr } = await here.run(...words);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('mcpx validate');
  expect((await here.run('validate')).stdout).toMatch(/claude-code is \w+\n {2}✓ required/);
});

const output = sample('server-integration/requirements-output.txt');

row(78, async () => {
  await using here = await sampleProject();
  const { stdout } = await here.run('validate');
  const signs = { Required: '✓', Recommended: '✓', Optional: '-' } as const;
  for (const [tier, sign] of Object.entries(signs)) {
    const [, names = ''] = new RegExp(`${tier}: ([\\w, -]+)`).exec(output) ?? [];
    expect(names).not.toBe('');
    const lines = stdout.split('\n').filter((line) => line.startsWith(`  ${sign} ${tier.toLowerCase()} `));
    for (const name of names.trim().split(', ')) expect(lines.join('\n')).toContain(` ${name}`);
  }
});

row(79, async () => {
  const [, install = ''] = /\(install: (.*)\)/.exec(output) ?? [];
  const missing = servers.text.replace('npx -y @modelcontextprotocol/server-code-search', 'server-code-search');
  await using here = await sampleProject({ ...sampleFiles, 'config/mcp_servers.yaml': missing });
  expect((await here.run('requirements')).stdout).toContain(`code-search: not-installed (${install})`);
  expect((await here.run('validate', '--installed')).stdout).toContain(`code-search: not-installed (${install})`);
});

/** A registry of both servers of the sample’s roles, with these rules. */
async function underRoles(events: AuditEvent[] = []) {
  const named = (...tools: string[]) => ({ ...testServer('named-tools', ...tools), autoStart: true });
  const manager = createClientManager({ servers: { filesystem: named('read', 'write'), git: named('log', 'commit') } });
  const registry = createRegistry({ roles: check(long).config?.roles, audit: (event) => void events.push(event) });
  for (const server of manager.servers()) registry.attach(server);
  await manager.start();
  return {
    reviewer: registry.view({ role: 'review' }),
    [Symbol.asyncDispose]: async () => {
      await registry.close();
      await manager.close();
    },
  };
}

row(80, async () => {
  await using stage = await underRoles();
  const names = stage.reviewer.list().map(({ name }) => name);
  expect(names).toEqual(['mcp__filesystem__read', 'mcp__git__log', 'search_mcp_tools']);
  for (const name of ['mcp__filesystem__write', 'mcp__git__commit']) {
    await expect(stage.reviewer.call(name)).rejects.toMatchObject({ code: 'unknown-tool' });
  }
});

row(81, async () => {
  const events: AuditEvent[] = [];
  await using stage = await underRoles(events);
  await stage.reviewer.call('mcp__git__commit').catch(() => undefined);
  expect(events).toMatchObject([{ action: 'call', tool: 'commit', decision: 'denied', rule: { role: 'review' } }]);
});
