import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/exit-codes.js';
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

  test('takes a config by its path', async () => {
    await using here = await stage();
    const { exitCode, stdout } = await runMcpx(['validate', '-c', `${here.folder}/config/mcp_servers.yaml`, '--json']);
    expect(exitCode).toBe(exitCodes.ok);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, issues: [] });
  });
});

describe('status', () => {
  test('shows running, manual and failed servers in one table', async () => {
    await using here = await stage();
    const { exitCode, stdout, stderr } = await runMcpx(['status'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.startFailed);
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^Server +State +Health +Tools/);
    expect(rows[0]).toMatch(/^files +● running +✓ +\d+/);
    expect(rows[1]).toMatch(/^manual +○ manual +- +-/);
    expect(rows[2]).toMatch(/^dead +/);
    expect(stderr).toMatch(/✓ files spawned process \d+\n/);
    expect(stderr).toMatch(/✓ files ready \d+ tools, protocol 2025-11-25\n/);
  });

  test('--json gives the same as data', async () => {
    await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]) });
    const { exitCode, stdout } = await runMcpx(['status', '--json'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.ok);
    const { servers } = JSON.parse(stdout) as { servers: Record<string, unknown>[] };
    expect(servers).toHaveLength(1);
    expect(servers[0]).toMatchObject({
      name: 'files',
      state: 'running',
      health: 'healthy',
      restarts: 0,
      transport: 'stdio',
    });
  });
});

describe('discover', () => {
  test('starts a manual server and lists its tools', async () => {
    await using here = await stage();
    const { exitCode, stdout } = await runMcpx(['discover', 'manual'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.ok);
    expect(stdout).toMatch(/^manual offers \d+ tools\n/);
    expect(stdout).toMatch(/^echo /m);
  });

  test('--json carries the schemas as the server sent them', async () => {
    await using here = await stage();
    const { stdout } = await runMcpx(['discover', 'files', '--json'], { cwd: here.folder });
    const report = JSON.parse(stdout) as { tools: { name: string; inputSchema: { type: string } }[] };
    expect(report).toMatchObject({ server: 'files', protocolVersion: '2025-11-25', capabilities: { tools: {} } });
    expect(report.tools.find(({ name }) => name === 'echo')?.inputSchema.type).toBe('object');
  });
});

describe('search', () => {
  test('finds tools of the servers that start by themselves', async () => {
    await using here = await stage();
    const { exitCode, stdout } = await runMcpx(['search', 'echo'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.ok);
    expect(stdout).toContain('mcp__files__echo');
    expect(stdout).not.toContain('mcp__manual__echo');
    expect(stdout).toMatch(/^\d+ of \d+ match(es)?$/m);
  });

  test('--json is the result of search_mcp_tools', async () => {
    await using here = await stage();
    const { stdout } = await runMcpx(['search', '^echo$', '--regex', '--json', '--limit', '1'], { cwd: here.folder });
    expect(JSON.parse(stdout)).toMatchObject({
      mode: 'regex',
      returned: 1,
      tools: [{ server: 'files', tool: 'echo' }],
    });
  });

  test('--role hides what the role may not use', async () => {
    await using here = await stage();
    const { stdout } = await runMcpx(['search', '*', '--role', 'review', '--json'], { cwd: here.folder });
    const { tools: found } = JSON.parse(stdout) as { tools: { name: string }[] };
    expect(found.map(({ name }) => name).sort()).toEqual(['mcp__files__echo', 'search_mcp_tools']);
  });

  test('a broken pattern is wrong usage and says where it breaks', async () => {
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

  test('takes its arguments from stdin', async () => {
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
    expect(stderr).toContain('The tool mcp__files__fail reported an error');
  });

  test.each(['{', '[]', '"text"', 'null'])(
    'arguments %s are wrong usage, told before anything starts',
    async (json) => {
      await using here = await stage();
      const { exitCode, stderr } = await runMcpx(['call', 'mcp__files__echo', json], { cwd: here.folder });
      expect(exitCode).toBe(exitCodes.usage);
      expect(stderr).toContain('The arguments');
      expect(stderr).toContain(`'{"path": "README.md"}'`);
      expect(stderr).not.toContain('spawned');
    },
  );

  test('what a role may not use does not exist for it', async () => {
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

  test('a server that dies in mid-call is told as it is: the outcome is unknown', async () => {
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
