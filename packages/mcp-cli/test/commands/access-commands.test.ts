import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { daemonStage } from '../helpers/daemon-stage.js';
import { project, serversFile } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { hostileServer, onStage, upOn } from '../helpers/stage-commands.js';

afterEach(expectNoLeaks);

const tools = `
tools:
  app:
    mcp_tools:
      required: [files]
      recommended: [web]
      optional: [missing]
    role_restrictions:
      review:
        allowed_tools: [files.echo]
`;

async function stage(files: Readonly<Record<string, string>> = { 'tools.yaml': tools }) {
  const servers = serversFile([
    { name: 'files', server: 'echo' },
    { name: 'missing', server: 'echo', fields: { command: 'no-such-program-anywhere' } },
  ]);
  const here = await project({ 'mcp_servers.yaml': servers, ...files });
  const options = {
    cwd: here.folder,
    stateDirectory: join(here.folder, 'state'),
    env: { PATH: process.env.PATH, MCPX_TRUST: '1' },
  };
  return {
    folder: here.folder,
    run: (...words: [...(string | { columns: number; rows: number })[]]) => {
      const [terminal] = words.filter((word) => typeof word !== 'string');
      return runMcpx(
        words.filter((word) => typeof word === 'string'),
        { ...options, ...(terminal && { terminal }) },
      );
    },
    [Symbol.asyncDispose]: () => here[Symbol.asyncDispose](),
  };
}

describe('context', () => {
  test('counts the known tools by server, on 40 columns', async () => {
    await using here = await stage();
    await here.run('discover', 'files');
    const { exitCode, stdout, stderr } = await here.run({ columns: 40, rows: 20 }, 'context', '--turns', '6');
    expect(exitCode).toBe(exitCodes.ok);
    for (const line of stdout.split('\n')) expect(stripVTControlCharacters(line).length).toBeLessThanOrEqual(40);
    expect(stdout).toMatch(/^files {10,}8 {3,}\d+$/m);
    expect(stdout).toMatch(/^mcpx itself +1 +\d+$/m);
    expect(stdout).toMatch(/^search +\d+ +\d+ +[\d,]+$/m);
    expect(stderr).toBe(
      'Not counted, because their tools are\n  unknown: missing. Run "mcpx discover\n  missing" to list those of one.\n',
    );
  });

  test('counts what a role may use, also one without the search', async () => {
    await using here = await stage({
      'tools.yaml': `${tools}        denied_tools: [search_mcp_tools]\n`,
    });
    await here.run('discover', 'files');
    const { stdout } = await here.run('context', '--role', 'review', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      turns: 20,
      searches: 4,
      servers: [{ server: 'files', tools: 1 }],
      tools: [{ name: 'mcp__files__echo', server: 'files' }],
      surfaces: [{ surface: 'full' }],
      notCounted: [], // its servers only
    });
    expect((await here.run('context', '--role', 'nobody')).exitCode).toBe(exitCodes.usage);
  });
});

describe('roles', () => {
  test('are listed with their rules and the number of their tools', async () => {
    await using here = await stage();
    await here.run('discover', 'files');
    const { exitCode, stdout } = await here.run('roles', '--verbose');
    expect(exitCode).toBe(exitCodes.ok);
    expect(stdout).toMatch(/^review may use 2 of the tools that are known\n {2}rule of app \(.*tools\.yaml:\d+\)\n/);
    expect(stdout).toContain('    allowed tools: files.echo\n');
    expect(stdout).toContain('  mcp__files__echo\n');
    expect(JSON.parse((await here.run('roles', 'list', '--json')).stdout)).toMatchObject({
      roles: [
        { role: 'review', rules: [{ allowedTools: ['files.echo'] }], tools: ['mcp__files__echo', 'search_mcp_tools'] },
      ],
    });
  });

  test('explain names the rule that decides, and reports unknown tools as unknown', async () => {
    await using here = await stage();
    await here.run('discover', 'files');
    const allowed = await here.run('roles', 'explain', 'review', 'files.echo');
    expect(allowed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('The role "review" may use "echo"') });
    const denied = await here.run('roles', 'explain', 'review', 'files.pid', '--json');
    expect(JSON.parse(denied.stdout)).toMatchObject({ decision: 'denied', reason: 'not-listed', tool: 'pid' });
    expect((await here.run('roles', 'explain', 'review', 'files.pod')).exitCode).toBe(exitCodes.notFound);
    const nobody = await here.run('roles', 'explain', 'reviw', 'files.echo');
    expect(nobody.exitCode).toBe(exitCodes.usage);
    expect(nobody.stderr).toContain('Did you mean "review"?');
  });

  test('no server is started for a call that the role may not make', async () => {
    await using here = await stage();
    for (const name of ['files.pid', 'files/pid', 'mcp__files__pid', 'pid']) {
      const { exitCode, stderr } = await here.run('call', name, '--role', 'review');
      expect(exitCode).toBe(exitCodes.notFound);
      expect(stderr).toContain(`There is no tool named "${name}".`);
      expect(stderr).not.toContain('spawned');
    }
    const allowed = await here.run('call', 'files.echo', 'text=x', '--role', 'review');
    expect(allowed).toMatchObject({
      exitCode: exitCodes.ok,
      stdout: 'x\n',
      stderr: expect.stringContaining('spawned'),
    });
  });

  test('a daemon starts no server for it either', async () => {
    await using daemon = await daemonStage([{ name: 'files', server: 'echo' }]);
    await writeFile(join(daemon.folder, 'tools.yaml'), tools);
    await onStage(daemon, ['up', '--json']);
    await onStage(daemon, ['stop', 'files']);
    expect((await onStage(daemon, ['call', 'files.pod', '--role', 'review'])).exitCode).toBe(exitCodes.notFound);
    expect((await onStage(daemon, ['call', 'files.pid', '--role', 'review'])).exitCode).toBe(exitCodes.notFound);
    expect(JSON.parse((await onStage(daemon, ['status', '--json'])).stdout).servers).toMatchObject([
      { state: 'stopped' },
    ]);
  });

  test('a rule about annotations applies once these are known', async () => {
    const rule = 'allowed_tools: [files.*]\n        required_annotations: { readOnlyHint: true }';
    await using here = await stage({ 'tools.yaml': tools.replace('allowed_tools: [files.echo]', rule) });
    const { stderr } = await here.run('call', 'files.pid', '--role', 'review');
    expect(stderr).toContain('spawned');
  });

  test('reports a config without roles', async () => {
    await using here = await stage({});
    expect(await here.run('roles')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('there are no roles'),
    });
  });
});

describe('requirements', () => {
  test('list missing servers, with an exit code by readiness', async () => {
    await using here = await stage();
    const { exitCode, stdout } = await here.run('requirements');
    expect(exitCode).toBe(exitCodes.ok);
    expect(stdout).toContain('app is degraded\n');
    expect(stdout).toMatch(/✓ required +files: configured/);
    expect(stdout).toMatch(/! recommended web: not-configured \(add web to/);
    expect(stdout).toMatch(/- optional +missing: not-installed/);
    expect((await here.run('requirements', '--strict')).exitCode).toBe(exitCodes.failed);
    expect(JSON.parse((await here.run('requirements', '--json')).stdout)).toMatchObject({
      readiness: 'degraded',
      tools: [{ tool: 'app', readiness: 'degraded', required: [{ server: 'files', satisfied: true }] }],
    });
  });

  test('that are blocked exit with 1', async () => {
    await using here = await stage({
      'tools.yaml': tools.replace('[files]', '[missing]').replace('optional: [missing]', 'optional: []'),
    });
    expect(await here.run('requirements')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('app is blocked'),
    });
  });

  test('of a daemon include running servers', async () => {
    await using daemon = await daemonStage([{ name: 'files', server: 'echo' }]);
    await writeFile(join(daemon.folder, 'tools.yaml'), tools.replace('[web]', '[]'));
    await upOn(daemon);
    const { exitCode, stdout } = await onStage(daemon, ['requirements']);
    expect(exitCode).toBe(exitCodes.ok);
    expect(stdout).toMatch(/✓ required +files: ready/);
  });
});

describe('pins', () => {
  const waits = ['pins', 'mode', 'approve', 'files'];

  test('everything is trusted until the user decides otherwise', async () => {
    await using here = await stage();
    await here.run('discover', 'files');
    const { stdout, stderr } = await here.run('pins');
    expect(stdout).toMatch(/^Mode: all\nTrust +Tool +Digest +Note\n✓ trusted +mcp__files__add +[0-9a-f]{12}\n/);
    expect(stderr).toBe('');
  });

  test('a pending tool is in no list and cannot be called until it is approved', async () => {
    await using here = await stage();
    await here.run('discover', 'files');
    expect((await here.run(...waits)).stdout).toMatch(/^Mode: all, files: approve\n/);
    expect((await here.run('search', 'echo')).stdout).not.toContain('mcp__files__echo');
    expect((await here.run('call', 'files.echo', 'text=x')).exitCode).toBe(exitCodes.notFound);
    const diff = await here.run('pins', 'diff', 'files.echo');
    expect(diff.stdout).toContain('+Echo a text');
    const [, word = ''] = /"mcpx pins approve (\S+)" approves this text/.exec(diff.stderr) ?? [];
    expect(await here.run('pins', 'approve', word)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^✓ mcp__files__echo [0-9a-f]{12}\n$/),
    });
    expect((await here.run('call', 'files.echo', 'text=x')).stdout).toBe('x\n');
    const report = JSON.parse((await here.run('pins', 'files', '--json')).stdout);
    expect(report.trust).toEqual({ default: 'all', servers: { files: 'approve' } });
    expect(report.tools.filter(({ trust }: { trust: string }) => trust === 'trusted')).toMatchObject([
      { server: 'files', tool: 'echo', name: 'mcp__files__echo', approved: { by: 'approval' }, findings: [] },
    ]);
    expect((await here.run('pins', 'revoke', 'files.echo')).exitCode).toBe(exitCodes.ok);
    expect((await here.run('call', 'files.echo', 'text=x')).exitCode).toBe(exitCodes.notFound);
  });

  test('a call of a pending tool says how to approve it', async () => {
    await using here = await stage();
    await here.run(...waits);
    for (const name of ['files.echo', 'files/echo', 'mcp__files__echo']) {
      const { exitCode, stderr } = await here.run('call', name, 'text=x');
      expect(exitCode).toBe(exitCodes.notFound);
      expect(stderr).toContain('error: The tool "mcp__files__echo" is not offered: it waits for approval.\n');
      expect(stderr).toContain('"mcpx pins approve mcp__files__echo"');
    }
    const allowed = await here.run('call', 'files.echo', 'text=x', '--role', 'review');
    expect(allowed.stderr).toContain('is not offered');
    const denied = await here.run('call', 'files.pid', '--role', 'review');
    expect(denied.stderr).toContain('There is no tool named "files.pid".');
  });

  test('refuses to approve a definition that is no longer offered', async () => {
    await using here = await stage();
    await here.run('discover', 'files');
    await here.run(...waits);
    const other = await here.run('pins', 'approve', 'files.echo@000000000000');
    expect(other.exitCode).toBe(exitCodes.failed);
    expect(other.stderr).toContain('has changed since you read it');
    expect((await here.run('pins', 'approve', 'files.echo@00')).exitCode).toBe(exitCodes.usage);
    expect((await here.run('pins', 'approve')).exitCode).toBe(exitCodes.usage);
    const unknown = await here.run('pins', 'approve', 'files.ecoh');
    expect(unknown.exitCode).toBe(exitCodes.notFound);
    expect((await here.run('search', 'echo')).stdout).not.toContain('mcp__files__echo');
  });

  test('the decision is stored privately for the user; a broken file trusts nothing', async () => {
    await using here = await stage();
    await here.run(...waits);
    expect((await readdir(here.folder)).toSorted()).toEqual(['mcp_servers.yaml', 'state', 'tools.yaml']);
    const file = join(here.folder, 'state', 'trust', 'modes.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      default: 'all',
      modes: [{ server: 'files', entry: expect.stringMatching(/^[0-9a-f]{32}$/), mode: 'approve' }],
    });
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
    await writeFile(file, '{"default":"everything"}');
    const { exitCode, stderr } = await here.run('search', 'echo');
    expect(exitCode).toBe(exitCodes.config);
    expect(stderr).toContain(file);
  });

  test('an unknown mode is a usage error', async () => {
    await using here = await stage();
    const { exitCode, stderr } = await here.run('pins', 'mode', 'some');
    expect(exitCode).toBe(exitCodes.usage);
    expect(stderr).toContain('Modes are all, pin-on-first-use, approve.');
  });

  test('a daemon offers a tool as soon as it is approved', async () => {
    const bad = { name: 'bad', server: 'echo', fields: hostileServer } as const;
    await using daemon = await daemonStage([bad]);
    await upOn(daemon);
    await onStage(daemon, ['pins', 'mode', 'approve']);
    const { stdout, stderr } = await onStage(daemon, ['pins']);
    expect(stdout).toMatch(/\? pending +mcp__bad__plain .*findings/);
    expect(stdout).toMatch(/^(medium|high): mcp__bad__plain: /m);
    expect(stderr).toMatch(/Read each with "mcpx pins diff bad:\S+", then run "mcpx pins approve bad:\S+"\./);
    expect((await onStage(daemon, ['search', 'plain'])).stdout).not.toContain('mcp__bad__plain');
    const diff = await onStage(daemon, ['pins', 'diff', 'bad:instructions']);
    const [, word = ''] = /"mcpx pins approve (\S+)" approves this text/.exec(diff.stderr) ?? [];
    expect(word).toMatch(/^bad:instructions@[0-9a-f]{12}$/);
    expect((await onStage(daemon, ['pins', 'approve', word])).stdout).toMatch(/^✓ bad:instructions [0-9a-f]{12}\n$/);
    expect((await onStage(daemon, ['pins'])).stdout).toMatch(/✓ trusted +bad:instructions/);
    await onStage(daemon, ['pins', 'approve', '--server', 'bad']);
    expect((await onStage(daemon, ['search', 'plain'])).stdout).toContain('mcp__bad__plain');
    await onStage(daemon, ['down']);
    expect((await onStage(daemon, ['search', 'plain'])).stdout).toContain('mcp__bad__plain');
  });
});
