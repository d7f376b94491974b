import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { project, serversFile } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';

afterEach(expectNoLeaks);

const tools = `
tools:
  app:
    mcp_tools:
      required: [files]
      recommended: [web]
      optional: [manual]
    role_restrictions:
      review:
        allowed_tools: [files.echo]
`;
const servers = serversFile([
  { name: 'files', server: 'echo' },
  { name: 'manual', server: 'echo', fields: { auto_start: false } },
  { name: 'dead', server: 'exits-at-once' },
]);

function stage(): ReturnType<typeof project> {
  return project({ 'config/mcp_servers.yaml': servers, 'config/tools.yaml': tools });
}

describe('validate', () => {
  test('reports which servers a tool needs, and starts nothing', async () => {
    await using here = await stage();
    const { exitCode, stdout } = await runMcpx(['validate'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.ok);
    expect(stdout).toContain('3 servers');
    expect(stdout).toContain('app is degraded');
    expect(stdout).toMatch(/✓ required +files: configured/);
    expect(stdout).toMatch(/! recommended web: not-configured/);
  });

  test('accepts the path of a config', async () => {
    await using here = await stage();
    const { exitCode, stdout } = await runMcpx(['validate', '-c', `${here.folder}/config/mcp_servers.yaml`, '--json']);
    expect(exitCode).toBe(exitCodes.ok);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, issues: [] });
  });
});

describe('discover', () => {
  test('starts a manual server without known tools and lists them', async () => {
    await using here = await stage();
    const { exitCode, stdout, stderr } = await runMcpx(['discover', 'manual'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.ok);
    expect(stdout).toMatch(/^manual offers \d+ tools\n/);
    expect(stdout).toMatch(/^echo /m);
    expect(stderr).toContain('manual ready');
  });

  test('--json prints the schemas as the server sent them', async () => {
    await using here = await stage();
    const { stdout, stderr } = await runMcpx(['discover', 'files', '--json'], { cwd: here.folder });
    const report = JSON.parse(stdout) as { tools: { name: string; inputSchema: { type: string } }[] };
    expect(report).toMatchObject({ server: 'files', protocolVersion: '2025-11-25', capabilities: { tools: {} } });
    expect(report.tools.find(({ name }) => name === 'echo')?.inputSchema.type).toBe('object');
    expect(stderr).toBe('');
  });

  test('prints the known list with its time, unless --refresh is given', async () => {
    await using here = await stage();
    const options = { cwd: here.folder, stateDirectory: join(here.folder, 'state') };
    await runMcpx(['discover', 'files'], options);
    const known = await runMcpx(['discover', 'files'], options);
    expect(known.stdout).toMatch(/^files offers 8 tools\n/);
    expect(known.stderr).toMatch(/^Listed at \S+Z\. "mcpx discover files --refresh" requests a new list\.\n$/);
    const asJson = await runMcpx(['discover', 'files', '--json'], options);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ server: 'files', cachedAt: expect.any(Number), problems: [] });
    const fresh = await runMcpx(['discover', 'files', '--refresh'], options);
    expect(fresh.stderr).toContain('files ready');
    expect(JSON.parse((await runMcpx(['status', '--json'], options)).stdout)).toMatchObject({
      servers: [{ name: 'files', state: 'stopped', tools: 8 }, { tools: 0 }, { tools: 0 }],
    });
  });
});

test('lists the tools of a stopped manual server again', async () => {
  await using here = await stage();
  const options = { cwd: here.folder, stateDirectory: join(here.folder, 'state') };
  for (const _time of [1, 2]) {
    const { stdout } = await runMcpx(['discover', 'manual'], options);
    expect(stdout).toMatch(/^manual offers 8 tools\n/);
  }
  expect((await runMcpx(['status'], options)).stdout).toMatch(/^manual +○ manual +- +- /m);
  expect(JSON.parse((await runMcpx(['search', 'echo', '--json'], options)).stdout).notSearched).toContain('manual');
});

describe('search', () => {
  test('starts nothing and names servers without known tools', async () => {
    await using here = await stage();
    const { exitCode, stdout, stderr } = await runMcpx(['search', 'echo'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.ok);
    expect(stdout).toBe('0 of 0 matches\n');
    expect(stderr).toBe(
      'There are no tools to search, because no server has listed its tools: files, manual, dead. ' +
        'Add --refresh to start those with auto_start, or run "mcpx discover <server>" for one of them.\n',
    );
    expect(stderr).not.toContain('spawned');
  });

  test('--refresh lists the tools of servers with auto_start for later searches', async () => {
    await using here = await stage();
    const options = { cwd: here.folder, stateDirectory: join(here.folder, 'state') };
    const asked = await runMcpx(['search', 'echo', '--refresh'], options);
    expect(asked.exitCode).toBe(exitCodes.ok);
    expect(asked.stderr).toMatch(/✓ files ready 8 tools/);
    expect(asked.stderr).toContain('warning: Server "dead"');
    const known = await runMcpx(['search', 'echo'], options);
    expect(known.stdout).toBe(asked.stdout);
    expect(known.stdout).toContain('mcp__files__echo');
    expect(known.stdout).not.toContain('mcp__manual__echo');
    expect(known.stdout).toMatch(/^\d+ of \d+ match(es)?$/m);
    expect(known.stderr).not.toContain('spawned');
  });

  test('--refresh with --server lists that server’s tools, manual or not', async () => {
    await using here = await stage();
    const manual = await runMcpx(['search', 'echo', '--server', 'manual', '--refresh'], { cwd: here.folder });
    expect(manual.stdout).toContain('mcp__manual__echo');
    expect(manual.stderr).not.toContain('files');
    const dead = await runMcpx(['search', 'echo', '--server', 'dead', '--refresh'], { cwd: here.folder });
    expect(dead.exitCode).toBe(exitCodes.startFailed);
  });

  test('--json prints the result of search_mcp_tools and the servers that were not searched', async () => {
    await using here = await stage();
    const argv = ['search', '^echo$', '--regex', '--json', '--limit', '1', '--refresh'];
    const { stdout, stderr } = await runMcpx(argv, { cwd: here.folder });
    expect(JSON.parse(stdout)).toMatchObject({
      mode: 'regex',
      total: 1,
      returned: 1,
      truncated: false,
      tools: [{ server: 'files', tool: 'echo', name: 'mcp__files__echo' }],
      notSearched: ['manual', 'dead'],
    });
    expect(stderr).toBe('');
  });

  test('--role hides what the role may not use', async () => {
    await using here = await stage();
    const argv = ['search', '*', '--role', 'review', '--json', '--refresh'];
    const { stdout } = await runMcpx(argv, { cwd: here.folder });
    const { tools: found } = JSON.parse(stdout) as { tools: { name: string }[] };
    expect(found.map(({ name }) => name).sort()).toEqual(['mcp__files__echo', 'search_mcp_tools']);
  });

  test('suggests the nearest server for an unknown one', async () => {
    await using here = await stage();
    const { exitCode, stderr } = await runMcpx(['search', 'echo', '--server', 'fils'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.notFound);
    expect(stderr).toContain('Did you mean "files"?');
  });

  test('for a role reports no server of which the role may use nothing', async () => {
    await using here = await project({
      'mcp_servers.yaml': serversFile([
        { name: 'files', server: 'echo' },
        { name: 'web', server: 'echo' },
        { name: 'git', server: 'echo' },
      ]),
      'tools.yaml': JSON.stringify({
        tools: { app: { role_restrictions: { review: { allowed_tools: ['files.echo', 'git'] } } } },
      }),
    });
    const options = { cwd: here.folder, stateDirectory: join(here.folder, 'state') };
    await runMcpx(['discover', 'files'], options);
    const all = await runMcpx(['search', 'echo'], options);
    expect(all.stderr).toContain('unknown: web, git.');
    const { stdout, stderr } = await runMcpx(['search', 'echo', '--role', 'review'], options);
    expect(stdout).toContain('mcp__files__echo');
    expect(stderr).toContain('unknown: git.');
    const asJson = JSON.parse((await runMcpx(['search', 'echo', '--role', 'review', '--json'], options)).stdout);
    expect(asJson.notSearched).toEqual(['git']);
    expect(asJson).not.toHaveProperty('unusable');
  });

  test('suggests no refresh that would start no server', async () => {
    await using here = await project({
      'mcp_servers.yaml': serversFile([{ name: 'manual', server: 'echo', fields: { auto_start: false } }]),
    });
    for (const more of [[], ['--refresh']]) {
      const { stderr } = await runMcpx(['search', 'echo', ...more], { cwd: here.folder });
      expect(stderr).toBe(
        'There are no tools to search, because no server has listed its tools: manual. ' +
          'Run "mcpx discover <server>" to list the tools of one.\n',
      );
    }
    const named = await runMcpx(['search', 'echo', '--server', 'manual'], { cwd: here.folder });
    expect(named.stderr).toContain('manual. Add --refresh to start it and list its tools.');
  });

  test('reports once why servers that were just refreshed have no tools', async () => {
    await using here = await stage();
    const { stderr } = await runMcpx(['search', 'echo', '--refresh'], { cwd: here.folder });
    expect(stderr).toContain('unknown: manual, dead. Run "mcpx discover <server>" to list the tools of one.');
    expect(stderr).not.toContain('--refresh');
  });

  test('reports a config without servers', async () => {
    await using here = await project({ 'mcp_servers.yaml': 'mcp_servers: {}\n' });
    const { stderr } = await runMcpx(['search', 'echo'], { cwd: here.folder });
    expect(stderr).toContain('The config has no servers, so there are no tools.');
  });

  test('--refresh reports why each server failed to start', async () => {
    const failing = ['one', 'two'].map((name) => ({
      name,
      server: 'exits-at-once' as const,
      args: ['--stderr', `${name} is ill`],
    }));
    await using here = await project({ 'mcp_servers.yaml': serversFile(failing) });
    const { exitCode, stderr } = await runMcpx(['search', 'echo', '--refresh'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.startFailed);
    expect(stderr).toContain('error: None of the 2 servers could be started.\n');
    for (const name of ['one', 'two']) {
      expect(stderr).toContain(`  Server "${name}" exited (code 1)`);
      expect(stderr).toContain(`    ${name} | ${name} is ill\n`);
    }
    const asJson = await runMcpx(['search', 'echo', '--refresh', '--json'], { cwd: here.folder });
    expect(JSON.parse(asJson.stdout).error).toMatchObject({ code: 'start-failed', exitCode: 4 });
  });

  test('an invalid pattern is a usage error with its position', async () => {
    await using here = await stage();
    const { exitCode, stdout, stderr } = await runMcpx(['search', '(echo', '--regex'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.usage);
    expect(stdout).toBe('');
    expect(stderr).toContain('(echo');
  });
});

describe('call', () => {
  test('prints the text of the result', async () => {
    await using here = await stage();
    const outcome = await runMcpx(['call', 'mcp__files__echo', '{"text":"hello"}'], { cwd: here.folder });
    expect(outcome).toMatchObject({ exitCode: exitCodes.ok, stdout: 'hello\n' });
  });

  test('starts only the server that the tool belongs to, manual or not', async () => {
    await using here = await stage();
    const { exitCode, stderr } = await runMcpx(['call', 'mcp__manual__echo', '{"text":"hi"}'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.ok);
    expect(stderr).toContain('manual ready');
    expect(stderr).not.toContain('files');
  });

  test('reads its arguments from stdin', async () => {
    await using here = await stage();
    const { stdout } = await runMcpx(['call', 'mcp__files__echo', '-', '--json'], {
      cwd: here.folder,
      stdin: '{"text":"piped"}',
    });
    expect(JSON.parse(stdout)).toMatchObject({ content: [{ type: 'text', text: 'piped' }] });
  });

  test('an error that the tool reports goes to stderr and exits with 1', async () => {
    await using here = await stage();
    const { exitCode, stdout, stderr } = await runMcpx(['call', 'mcp__files__fail'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.failed);
    expect(stdout).toBe('');
    expect(stderr).toContain('The tool mcp__files__fail returned an error');
  });

  test.each(['{', '[]', '"text"', 'null'])(
    'arguments %s are wrong usage, reported before anything starts',
    async (json) => {
      await using here = await stage();
      const { exitCode, stderr } = await runMcpx(['call', 'mcp__files__echo', json], { cwd: here.folder });
      expect(exitCode).toBe(exitCodes.usage);
      expect(stderr).toContain('The arguments');
      expect(stderr).toContain(`'{"path": "README.md"}'`);
      expect(stderr).not.toContain('spawned');
    },
  );

  test('a tool that the role may not use does not exist', async () => {
    await using here = await stage();
    const forbidden = await runMcpx(['call', 'mcp__files__pid', '--role', 'review'], { cwd: here.folder });
    const unknown = await runMcpx(['call', 'mcp__files__pod', '--role', 'review'], { cwd: here.folder });
    expect(forbidden.exitCode).toBe(exitCodes.notFound);
    expect(unknown.exitCode).toBe(exitCodes.notFound);
    const shape = ({ stderr }: { stderr: string }): string =>
      stderr.replace(/process \d+/, '').replace(/mcp__files__p.d/g, 'X');
    expect(shape(forbidden)).toBe(shape(unknown));
  });

  test('a call that takes too long ends with the time-out code', async () => {
    await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'slow', server: 'slow' }]) });
    const argv = ['call', 'mcp__slow__wait', '{"ms":600000}', '--timeout', '0.2'];
    const { exitCode, stderr } = await runMcpx(argv, { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.timedOut);
    expect(stderr).toContain('within 200 ms');
  });

  test('reports an unknown outcome when a server dies during a call', async () => {
    await using here = await project({
      'mcp_servers.yaml': serversFile([{ name: 'mortal', server: 'dies-mid-call' }]),
    });
    const { exitCode, stderr } = await runMcpx(['call', 'mcp__mortal__die'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.failed);
    expect(stderr).toContain('may or may not have had its effect');
    expect(stderr).toContain('dies-mid-call: cannot go on');
  });

  test('an interrupted call stops its server and exits with 130', async () => {
    await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'slow', server: 'slow' }]) });
    const interruption = new AbortController();
    const { exitCode, stderr } = await runMcpx(['call', 'mcp__slow__wait', '{"ms":600000}'], {
      cwd: here.folder,
      signal: interruption.signal,
      onStderr: (text) => {
        if (text.includes('slow ready')) interruption.abort();
      },
    });
    expect(exitCode).toBe(exitCodes.interrupted);
    expect(stderr).toContain('Interrupted');
  });
});

test('does not announce a retry of a server that ends with the command', async () => {
  await using here = await stage();
  for (const argv of [
    ['call', 'dead.x'],
    ['discover', 'dead'],
    ['search', 'echo', '--refresh'],
    ['health', 'dead'],
  ]) {
    const { stderr } = await runMcpx(argv, { cwd: here.folder });
    expect(stderr).toMatch(/Server "dead" exited \(code 1\)[^\n]*\.\n/);
    expect(stderr).not.toContain('tried again');
  }
});
