import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import type { Control } from '../../src/control/control.js';
import { isControlError } from '../../src/control/control-error.js';
import { createLocalControl } from '../../src/control/local-control.js';
import type { StartStep } from '../../src/control/reports.js';
import { localStack } from '../helpers/local-stack.js';
import type { ServerEntry } from '../helpers/project.js';
import { servedControl } from '../helpers/served-control.js';

afterEach(expectNoLeaks);

const tools = `
tools:
  app:
    mcp_tools: { required: [echo], optional: [dead] }
    role_restrictions:
      review: { allowed_tools: [echo.echo] }
`;

const servers: readonly ServerEntry[] = [
  { name: 'echo', server: 'echo' },
  { name: 'manual', server: 'echo', fields: { auto_start: false } },
  { name: 'dead', server: 'exits-at-once', args: ['--stderr', 'last words'] },
  { name: 'docs', server: 'resources-and-prompts', fields: { auto_start: false } },
];

const implementations: Readonly<Record<string, () => Promise<{ readonly control: Control } & AsyncDisposable>>> = {
  'in this process': async () => {
    const here = await localStack(servers, { files: { 'tools.yaml': tools } });
    return { control: createLocalControl(here.stack), [Symbol.asyncDispose]: () => here[Symbol.asyncDispose]() };
  },
  'over a socket': async () => {
    const here = await localStack(servers, { files: { 'tools.yaml': tools } });
    const served = await servedControl(createLocalControl(here.stack));
    return {
      control: served.remote,
      [Symbol.asyncDispose]: async () => {
        await served[Symbol.asyncDispose]();
        await here[Symbol.asyncDispose]();
      },
    };
  },
};

describe.each(Object.entries(implementations))('servers %s', (_name, open) => {
  test('status starts nothing and reports the requirement for each server', async () => {
    await using here = await open();
    const { servers: rows } = await here.control.status();
    expect(rows).toMatchObject([
      { name: 'echo', state: 'stopped', health: 'unknown', autoStart: true, requirement: 'required' },
      { name: 'manual', state: 'stopped', autoStart: false },
      { name: 'dead', state: 'stopped', requirement: 'optional' },
      { name: 'docs', state: 'stopped' },
    ]);
  });

  test('start without names starts servers with auto_start, reports each step, and returns failures as outcomes', async () => {
    await using here = await open();
    const steps: StartStep[] = [];
    const outcomes = await here.control.start({ onStep: (step) => steps.push(step) });
    expect(outcomes).toMatchObject([
      { server: 'echo', status: 'done' },
      { server: 'dead', status: 'failed', error: { code: 'start-failed' } },
    ]);
    const ofEcho = steps.filter(({ server }) => server === 'echo').map(({ step }) => step);
    expect(ofEcho).toEqual(['spawned', 'handshake', 'ready']);
    expect(steps).toContainEqual(expect.objectContaining({ server: 'dead', step: 'failed' }));
    const [echo] = (await here.control.status()).servers;
    expect(echo).toMatchObject({ state: 'running', pid: expect.any(Number), uptimeMs: expect.any(Number) });
    if (process.platform === 'linux') expect(echo?.memoryBytes).toBeGreaterThan(1_000_000);
  });

  test('stop, restart and health affect only the named servers', async () => {
    await using here = await open();
    const { control } = here;
    await control.start({ servers: ['echo', 'manual'] });
    expect(await control.restart({ servers: ['echo'] })).toEqual([{ server: 'echo', status: 'done' }]);
    expect(await control.stop({ servers: ['manual'] })).toEqual([{ server: 'manual', status: 'done' }]);
    expect((await control.health({ servers: ['echo'] })).servers).toMatchObject([{ name: 'echo', health: 'healthy' }]);
    expect((await control.status()).servers).toMatchObject([{ state: 'running' }, { state: 'stopped' }, {}, {}]);
  });

  test('discover and capabilities start their server', async () => {
    await using here = await open();
    const found = await here.control.discover({ server: 'manual' });
    expect(found).toMatchObject({ server: 'manual', problems: [] });
    expect(found.tools.map(({ name }) => name)).toContain('echo');
    expect(await here.control.capabilities({ server: 'manual' })).toMatchObject({
      capabilities: { tools: expect.anything() },
    });
  });

  test('discover returns the known list on request, and starts the server only if there is none', async () => {
    await using here = await open();
    const { control } = here;
    expect((await control.discover({ server: 'echo', remembered: true })).tools).toHaveLength(8);
    await control.stop({ servers: ['echo'] });
    const known = await control.discover({ server: 'echo', remembered: true });
    expect(known).toMatchObject({ server: 'echo', problems: [] });
    expect(known.tools).toHaveLength(8);
    expect((await control.status()).servers).toMatchObject([{ name: 'echo', state: 'stopped' }, {}, {}, {}]);
  });

  test('search, describe and call are limited to the role', async () => {
    await using here = await open();
    const { control } = here;
    await control.start({ servers: ['echo'] });
    const all = await control.search({ request: { query: '*' } });
    const few = await control.search({ request: { query: '*' }, role: 'review' });
    expect(few.tools.map(({ name }) => name)).toEqual(['mcp__echo__echo', 'search_mcp_tools']);
    expect(all.total).toBeGreaterThan(few.total);
    expect((await control.describe({ tool: 'mcp__echo__echo', role: 'review' })).signature).toContain(
      'mcp__echo__echo(',
    );
    const result = await control.call({
      tool: 'mcp__echo__echo',
      args: { text: 'hello' },
      role: 'review',
      timeoutMs: 10_000,
    });
    expect(JSON.stringify(result.content)).toContain('hello');
  });

  test('roles reports the tools of each role, and explain reports the reason', async () => {
    await using here = await open();
    await here.control.start({ servers: ['echo'] });
    expect(await here.control.roles()).toMatchObject([
      { role: 'review', tools: ['mcp__echo__echo', 'search_mcp_tools'] },
    ]);
    expect(await here.control.explain({ role: 'review', tool: 'echo.echo' })).toMatchObject({ decision: 'allowed' });
  });

  test('mayUse decides by name, whether the tool exists or not', async () => {
    await using here = await open();
    const { control } = here;
    expect(await control.mayUse({ role: 'review', server: 'echo', tool: 'echo' })).toBe(true);
    expect(await control.mayUse({ role: 'review', server: 'echo', tool: 'pid' })).toBe(false);
    expect(await control.mayUse({ role: 'review', server: 'manual', tool: 'echo' })).toBe(false);
    await expect(control.mayUse({ role: 'king', server: 'echo', tool: 'echo' })).rejects.toMatchObject({
      code: 'invalid-request',
    });
  });

  test.each([
    ['an unknown server', 'unknown-server', 5, (control: Control) => control.start({ servers: ['nobody'] })],
    ['an unknown tool', 'unknown-tool', 5, (control: Control) => control.call({ tool: 'mcp__no__tool', args: {} })],
    [
      'an unknown role',
      'invalid-request',
      2,
      (control: Control) => control.search({ request: { query: 'x' }, role: 'king' }),
    ],
    [
      'a limit out of bounds',
      'invalid-request',
      2,
      (control: Control) => control.search({ request: { query: 'x', limit: 1_000 } }),
    ],
    [
      'a broken pattern',
      'invalid-pattern',
      2,
      (control: Control) => control.search({ request: { query: '(', useRegex: true } }),
    ],
  ] as const)('%s is reported with its code and exit code', async (_what, code, exitCode, ask) => {
    await using here = await open();
    const error = await ask(here.control).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(isControlError(error)).toBe(true);
    expect(error).toMatchObject({ code, exitCode, message: expect.stringMatching(/.{10}/) });
  });

  test('an aborted signal ends the wait with its reason', async () => {
    await using here = await open();
    const stop = new AbortController();
    const reason = new Error('enough');
    const started = here.control.start({ servers: ['echo'], signal: stop.signal });
    stop.abort(reason);
    await expect(started).rejects.toBe(reason);
  });

  test('events begin with every server and continue with each change', async () => {
    await using here = await open();
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const { server, row } of here.control.events({ signal: stop.signal })) {
      seen.push(server);
      if (seen.length === 4) void here.control.start({ servers: ['manual'] }).catch(() => undefined);
      if (server === 'manual' && row?.state === 'running') break;
    }
    expect(seen.slice(0, 4).toSorted()).toEqual(['dead', 'docs', 'echo', 'manual']);
    stop.abort();
  });

  test('logs returns the kept lines, and with follow new ones', async () => {
    await using here = await open();
    await here.control.start({ servers: ['dead'] });
    const kept: string[] = [];
    for await (const { line } of here.control.logs({ server: 'dead' })) kept.push(line);
    expect(kept.length).toBeGreaterThan(0);

    const stop = new AbortController();
    let count = 0;
    for await (const _line of here.control.logs({ server: 'dead', follow: true, signal: stop.signal })) {
      count += 1;
      if (count === kept.length) void here.control.restart({ servers: ['dead'] }).catch(() => undefined);
      if (count > kept.length) break;
    }
    expect(count).toBe(kept.length + 1);
  });

  test('a stream ends with the reason of its signal', async () => {
    await using here = await open();
    const stop = new AbortController();
    const reason = new Error('enough');
    const read = async () => {
      for await (const _event of here.control.events({ signal: stop.signal })) stop.abort(reason);
    };
    await expect(read()).rejects.toBe(reason);
  });

  test('logs returns at most the requested number of lines', async () => {
    await using here = await open();
    await here.control.start({ servers: ['dead'] });
    await here.control.stop({ servers: ['dead'] });
    const linesOf = async (lines?: number): Promise<readonly string[]> => {
      const kept: string[] = [];
      for await (const { line } of here.control.logs({ server: 'dead', lines })) kept.push(line);
      return kept;
    };
    expect(await linesOf()).not.toHaveLength(0);
    expect(await linesOf(1)).toEqual(['last words']);
    expect(await linesOf(0)).toEqual([]);
  });

  test('lists of a stopped server are unavailable until the first request, and known afterwards', async () => {
    await using here = await open();
    const { control } = here;
    expect(await control.listPrompts({ server: 'docs', wake: false })).toMatchObject({ completeness: 'unavailable' });
    await control.start({ servers: ['docs'] });
    for (const list of [control.listPrompts, control.listResources, control.listResourceTemplates]) {
      const asked = await list({ server: 'docs' });
      expect(asked.items).not.toHaveLength(0);
    }
    await control.stop({ servers: ['docs'] });
    const { items, cachedAt } = await control.listPrompts({ server: 'docs', wake: false });
    expect(items).toMatchObject([{ name: 'greet' }]);
    expect(cachedAt).toEqual(expect.any(Number));
  });

  test('pins hold back unapproved tools, approve a read definition and revoke the approval', async () => {
    await using here = await open();
    const { control } = here;
    await control.start({ servers: ['echo'] });
    await control.setTrust({ mode: 'approve', servers: ['echo'] });
    const { trust, tools: offered } = await control.pins({ server: 'echo' });
    expect(trust).toEqual({ default: 'all', servers: { echo: 'approve' } });
    expect(new Set(offered.map((tool) => tool.trust))).toEqual(new Set(['pending']));
    expect((await control.search({ request: { query: 'echo', server: 'echo' } })).total).toBe(0);
    const tool = offered.find((each) => each.tool === 'echo');
    if (!tool) throw new Error('echo is not offered');
    expect(await control.pinDiff({ ...tool })).toContain('Echo a text');
    await control.approvePins({ tools: [tool] });
    expect((await control.search({ request: { query: 'echo', server: 'echo' } })).tools).toMatchObject([
      { tool: 'echo' },
    ]);
    await expect(control.approvePins({ tools: [{ ...tool, digest: 'sha256:0' }] })).rejects.toMatchObject({
      code: 'changed-since-read',
    });
    await control.revokePins({ server: 'echo' });
    expect((await control.search({ request: { query: 'echo', server: 'echo' } })).total).toBe(0);
  });

  test('an unknown trust mode is refused', async () => {
    await using here = await open();
    await expect(here.control.setTrust({ mode: 'some' })).rejects.toMatchObject({
      code: 'invalid-request',
      exitCode: 2,
    });
    await expect(here.control.setTrust({ mode: 'all', servers: ['nobody'] })).rejects.toMatchObject({
      code: 'unknown-server',
    });
  });

  test('requirements are compared with the servers', async () => {
    await using here = await open();
    const asked = await here.control.requirements();
    expect(asked).toMatchObject({
      readiness: 'ready',
      tools: [{ required: [{ server: 'echo', status: 'configured' }] }],
    });
    await here.control.start({ servers: ['echo'] });
    expect(await here.control.requirements()).toMatchObject({ tools: [{ required: [{ status: 'ready' }] }] });
  });

  test('resources and prompts of a server without any are refused with a code', async () => {
    await using here = await open();
    await expect(here.control.listPrompts({ server: 'echo' })).rejects.toMatchObject({ code: 'unsupported' });
    await expect(here.control.readResource({ server: 'echo', uri: 'a:b' })).rejects.toMatchObject({
      code: 'unsupported',
    });
  });

  test('daemonInfo is undefined without a daemon', async () => {
    await using here = await open();
    expect((await here.control.daemonInfo()) ?? undefined).toBeUndefined();
  });
});
