import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
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

  test.each(['.', 'config', 'config/mcp_servers.yaml'])(
    'checks the same by the path "%s" as by a search',
    async (path) => {
      await using here = await stage();
      const found = await runMcpx(['validate', '--json'], { cwd: here.folder });
      const named = await runMcpx(['validate', '-c', path, '--json'], { cwd: here.folder });
      expect(named).toEqual(found);
      expect(JSON.parse(named.stdout)).toMatchObject({
        ok: true,
        files: [join('config', 'mcp_servers.yaml'), join('config', 'tools.yaml')],
      });
    },
  );

  test('checks a file with another name alone', async () => {
    await using here = await stage();
    await copyFile(join(here.folder, 'config/mcp_servers.yaml'), join(here.folder, 'config/other.yaml'));
    const { exitCode, stdout } = await runMcpx(['validate', '-c', join(here.folder, 'config/other.yaml'), '--json']);
    expect(exitCode).toBe(exitCodes.ok);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, issues: [] });
  });
});

describe('validate with a tools.yaml alone', () => {
  const declared = `tools:
  claude-code:
    timeout_seconds: 600
    mcp_tools: { required: [filesystem, git], optional: [github, gitlab] }
    role_restrictions: { review: { allowed_tools: [filesystem.read, git.log, grep] } }
`;

  test.each([[], ['-c', '.'], ['-c', 'config']])('finds and checks it: %j', async (...words) => {
    await using here = await project({ 'config/tools.yaml': declared });
    const { exitCode, stdout, stderr } = await runMcpx(['validate', ...words], { cwd: here.folder });
    expect({ exitCode, stderr }).toEqual({ exitCode: exitCodes.ok, stderr: '' });
    expect(stdout).toContain(`${join('config', 'tools.yaml')}: 0 servers, no issues`);
    expect(stdout).toContain('claude-code is blocked');
    expect(stdout).toMatch(/✗ required +filesystem: not-configured/);
    expect(stdout).toMatch(/^ {2}- optional +github, gitlab: not-configured$/m);
    const report = await runMcpx(['requirements', ...words], { cwd: here.folder });
    expect(report).toMatchObject({ exitCode: exitCodes.failed, stderr: '' });
    expect(report.stdout).toMatch(/✗ required +git: not-configured \(add git to mcp_servers/);
  });

  test('with --strict, a role with a server that no tool declares is an error', async () => {
    await using here = await project({ 'tools.yaml': declared.replace('git.log', 'gti.log') });
    const warned = await runMcpx(['validate'], { cwd: here.folder });
    expect(warned).toMatchObject({ exitCode: exitCodes.ok });
    expect(warned.stderr).toMatch(/warning unknown-server .*"gti", which no tool lists in mcp_tools/);
    const refused = await runMcpx(['validate', '--strict', '--json'], { cwd: here.folder });
    expect(refused.exitCode).toBe(exitCodes.config);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      ok: false,
      issues: [{ code: 'unknown-server', severity: 'error', server: 'gti', didYouMean: 'git' }],
    });
  });
});

describe('validate --installed', () => {
  const node = JSON.stringify(process.execPath);
  const files = (command: string, fields = '') => ({
    'mcp_servers.yaml': `mcp_servers: { files: { command: ${command}${fields} }, extra: { command: ${node} } }\n`,
    'tools.yaml': 'tools: { app: { mcp_tools: { required: [files] } } }\n',
  });

  test('says the same as requirements about a program that is missing', async () => {
    await using here = await project(files('no-such-program', ', package: "@scope/files@1.2.0"'));
    const hint = 'npm install -g @scope/files@1.2.0';
    const options = { cwd: here.folder, stateDirectory: join(here.folder, 'state') };
    const unchecked = await runMcpx(['validate'], options);
    expect(unchecked).toMatchObject({ exitCode: exitCodes.ok, stdout: expect.stringContaining('app is configured') });
    for (const words of [['validate', '--installed'], ['requirements']]) {
      const { exitCode, stdout } = await runMcpx(words, options);
      expect(exitCode).toBe(exitCodes.failed);
      expect(stdout).toContain(`app is blocked\n  ✗ required    files: not-installed (${hint})\nno tool lists extra\n`);
    }
    const doctor = await runMcpx(['doctor', '--json'], options);
    expect(JSON.parse(doctor.stdout)).toMatchObject({
      findings: expect.arrayContaining([
        { check: 'command', status: 'error', message: expect.stringContaining('no-such-program'), fix: hint },
      ]),
    });
  });

  test('is ready if the program is there', async () => {
    await using here = await project(files(node));
    const { exitCode, stdout } = await runMcpx(['validate', '--installed'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.ok);
    expect(stdout).toContain('app is ready\n  ✓ required    files: configured\n');
    const report = await runMcpx(['validate', '--installed', '--json'], { cwd: here.folder });
    expect(JSON.parse(report.stdout)).toMatchObject({
      ok: true,
      requirements: { readiness: 'ready', undeclared: ['extra'] },
    });
  });

  test('looks for the package that npx would download', async () => {
    await using here = await project({
      ...files('[npx, -y, "@scope/files"]', ', package: "@scope/files@1.2.0"'),
      'bin/npx': '#!/bin/sh\n',
      'bin/npx.cmd': '',
    });
    await chmod(join(here.folder, 'bin', 'npx'), 0o755);
    const env = { PATH: join(here.folder, 'bin'), HOME: join(here.folder, 'home') };
    const places = [
      'node_modules', // of the project
      'lib/node_modules', // of npm install -g, beside the directory of programs
      'home/.npm/_npx/0a1b/node_modules', // the cache of npx
    ];
    const missing = await runMcpx(['validate', '--installed'], { cwd: here.folder, env });
    expect(missing.exitCode).toBe(exitCodes.ok);
    expect(missing.stdout).toContain(
      'files: configured (npm install -g @scope/files@1.2.0; otherwise the first start downloads it)',
    );
    for (const place of places) {
      const folder = join(here.folder, place, '@scope', 'files');
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'package.json'), '{}');
      const found = await runMcpx(['validate', '--installed'], { cwd: here.folder, env });
      expect(found.stdout).toContain('files: configured\n');
      await rm(folder, { recursive: true });
    }
  });

  test('names the place of a program outside of PATH, as requirements and doctor do', async () => {
    await using here = await project({
      ...files('tool-of-the-user'),
      'home/.local/bin/tool-of-the-user': '#!/bin/sh\n',
    });
    const place = join(here.folder, 'home', '.local', 'bin', 'tool-of-the-user');
    await chmod(place, 0o755);
    const env = { PATH: join(here.folder, 'empty'), HOME: join(here.folder, 'home') };
    for (const command of [['validate', '--installed'], ['requirements'], ['doctor']]) {
      const { stdout } = await runMcpx(command, { cwd: here.folder, env, stateDirectory: join(here.folder, 'state') });
      expect(stdout).toContain(`it is at ${place}, which is not on PATH`);
    }
  });
});

describe('discover', () => {
  test('lists the known tools of all servers when no server is named', async () => {
    await using here = await stage();
    const options = { cwd: here.folder, stateDirectory: join(here.folder, 'state') };
    await runMcpx(['discover', 'manual'], options);
    const { exitCode, stdout, stderr } = await runMcpx(['tools'], options);
    expect(exitCode).toBe(exitCodes.ok);
    expect(stdout).toContain('mcp__manual__echo');
    expect(stdout).toMatch(/^8 tools$/m);
    expect(stderr).toContain('Not listed, because their tools are unknown: files, dead.');
    const { stdout: refreshed } = await runMcpx(['tools', '--refresh'], options);
    expect(refreshed).toMatch(/^16 tools$/m);
    expect(refreshed).not.toContain('search_mcp_tools');
  });

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

test('after discover, search and status know the tools of a stopped server without auto_start', async () => {
  await using here = await stage();
  const options = { cwd: here.folder, stateDirectory: join(here.folder, 'state') };
  expect((await runMcpx(['discover', 'manual'], options)).stdout).toMatch(/^manual offers 8 tools\n/);
  expect((await runMcpx(['status'], options)).stdout).toMatch(/^manual +○ manual +- +8 /m);
  const found = JSON.parse((await runMcpx(['search', 'echo', '--json'], options)).stdout);
  expect(found.notSearched).not.toContain('manual');
  expect(found.tools).toContainEqual(expect.objectContaining({ name: 'mcp__manual__echo', state: 'stopped' }));
  const described = await runMcpx(['describe', 'manual.echo'], options);
  expect(described.stdout).toContain('mcp__manual__echo');
  expect(described.stderr).not.toContain('spawned');
  const again = await runMcpx(['discover', 'manual'], options);
  expect(again.stderr).toMatch(/^Listed at /);
  const called = await runMcpx(['call', 'mcp__manual__echo', 'text=hello'], options);
  expect(called).toMatchObject({ exitCode: exitCodes.ok, stdout: 'hello\n' });
});

describe('search', () => {
  test('starts nothing and names servers without known tools', async () => {
    await using here = await stage();
    const { exitCode, stdout, stderr } = await runMcpx(['search', 'echo'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.ok);
    expect(stdout).toBe('0 of 0 matches\n');
    expect(stderr).toBe(
      'There are no tools to search, because no server has listed its tools: files, manual, dead. ' +
        'Add --refresh to start those with auto_start, or run "mcpx discover files" for one of them.\n',
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
          'To list the tools of one, run "mcpx discover manual".\n',
      );
    }
    const named = await runMcpx(['search', 'echo', '--server', 'manual'], { cwd: here.folder });
    expect(named.stderr).toContain('manual. Add --refresh to start it and list its tools.');
  });

  test('reports once why servers that were just refreshed have no tools', async () => {
    await using here = await stage();
    const { stderr } = await runMcpx(['search', 'echo', '--refresh'], { cwd: here.folder });
    expect(stderr).toContain('unknown: manual, dead. To list the tools of one, run "mcpx discover manual".');
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
      expect(stderr).toContain('The argument');
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
