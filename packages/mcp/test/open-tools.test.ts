import { withResolvers } from '@x/internal/async';
import type { Interceptor } from '@x/mcp-registry/interceptors';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { openTools, type ToolOverrides, type Tools } from '../src/index.js';
import { folderWith } from './folder-with.js';

afterEach(() => expectNoLeaks());

const named = (label: string, ...tools: string[]) => testServer('named-tools', '--label', label, ...tools);

function nextChange(tools: Tools, isIt: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const listening = tools.on('change', () => {
      if (!isIt()) return;
      listening[Symbol.dispose]();
      resolve();
    });
  });
}

/** Resolves when a call of the server `slow` has begun, with a function that returns its result. */
async function begun(tools: Tools, args: { readonly ms: number; readonly steps: number }) {
  const { promise, resolve } = withResolvers();
  const result = tools.call('mcp__slow__wait', args, { onProgress: () => resolve() });
  await Promise.race([promise, result]);
  return () => result;
}

const names = (tools: Pick<Tools, 'list'>) => tools.list().map(({ name }) => name);

test('the six lines: open, search, call, close', async () => {
  await using tools = await openTools({ mcpServers: { files: named('files', 'read_file', 'write_file') } });
  const { tools: found } = await tools.search('read a file');
  const result = await tools.call(found[0]?.name as string, {});
  expect(result.text()).toBe('files ran read_file');
});

test('a role sees only its tools', async () => {
  const roles = [{ role: 'review', allowedTools: ['files.read_*'] }];
  await using tools = await openTools({ mcpServers: { files: named('files', 'read_file', 'write_file') }, roles });
  const reviewer = tools.as('review', { principal: 'alice' });
  expect(names(reviewer)).toEqual(['mcp__files__read_file', 'search_mcp_tools']);
  expect((await reviewer.call('mcp__files__read_file')).text()).toBe('files ran read_file');
  await expect(reviewer.call('mcp__files__write_file')).rejects.toMatchObject({ code: 'unknown-tool' });
});

test('a role that asks before a call asks by elicitation', async () => {
  const roles = [{ role: 'review', allowedTools: ['files'], askBefore: ['files.write_file'] }];
  await using tools = await openTools({ mcpServers: { files: named('files', 'read_file', 'write_file') }, roles });
  const reviewer = tools.as('review');
  expect((await reviewer.call('mcp__files__read_file')).text()).toBe('files ran read_file');
  await expect(reviewer.call('mcp__files__write_file')).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('use a client that supports elicitation'),
  });
});

test('calls pass the interceptors of the registry, and audit has their names', async () => {
  const events: unknown[] = [];
  const noon: Interceptor = {
    name: 'noon',
    call: ({ args }, next) => next({ args: { ...args, at: 'noon' } }),
    result: (result) => ({ ...result, content: [{ type: 'text', text: 'changed' }] }),
  };
  await using tools = await openTools({
    mcpServers: { files: named('files', 'read_file') },
    registry: { interceptors: [noon], audit: (event) => void events.push(event) },
  });
  expect((await tools.call('mcp__files__read_file', {})).text()).toBe('changed');
  expect(events.at(-1)).toMatchObject({ interceptors: [{ interceptor: 'noon', decision: 'changed' }, {}] });
});

test('tools and sources of the app stand beside those of servers', async () => {
  await using tools = await openTools({ mcpServers: {} });
  using _own = tools.add(
    { name: 'add', description: 'Adds two numbers', inputSchema: { type: 'object' } },
    ({ a, b }) => ({ sum: Number(a) + Number(b) }),
  );
  const clock = tools.add({
    name: 'clock',
    listTools: async () => [{ name: 'now', inputSchema: { type: 'object' } }],
    callTool: async () => ({ content: [{ type: 'text', text: 'noon' }] }),
  });
  await clock.ready;
  expect((await tools.call('add', { a: 1, b: 2 })).json()).toEqual({ sum: 3 });
  expect((await tools.call('mcp__clock__now')).text()).toBe('noon');
  clock[Symbol.dispose]();
  expect(names(tools)).toEqual(['add', 'search_mcp_tools']);
});

test('instructions of servers are one text, by role, and follow a restart', async () => {
  const say = (label: string, text: string) =>
    testServer('named-tools', '--label', label, '--instructions', text, 'read');
  const roles = [{ role: 'review', allowedTools: ['files'] }];
  await using tools = await openTools({
    mcpServers: { files: say('files', 'Read before you write.'), web: say('web', 'Search first.') },
    roles,
  });
  expect(await tools.instructions()).toMatch(/"files":\n> Read before you write\.\n\n"web":\n> Search first\.$/);
  expect(await tools.as('review').instructions()).not.toContain('web');
  await tools.reload({ mcpServers: { files: say('files', 'Never write.'), web: say('web', 'Search first.') } });
  await tools.manager.server('files').start();
  expect(await tools.instructions({ maxCharacters: 500 })).toContain('> Never write.');
});

test('a server that does not start is no error', async () => {
  const mcpServers = { dead: testServer('exits-at-once', '--stderr', 'last words'), files: named('files', 'read') };
  await using tools = await openTools({ mcpServers });
  expect(names(tools)).toContain('mcp__files__read');
  const dead = tools.manager.status().find(({ name }) => name === 'dead');
  expect(dead?.lastError).toContain('last words');
});

test('a server of the files with an unset variable is the only one that does not work, unless that is refused', async () => {
  const unset = '$' + '{NO_SUCH_VARIABLE}';
  const entries = {
    files: { ...named('files', 'read_file'), auto_start: true },
    web: { url: unset, auto_start: true },
  };
  await using stage = await folderWith({ 'mcp_servers.yaml': { mcp_servers: entries } });
  const config = `${stage.folder}/mcp_servers.yaml`;
  await using tools = await openTools({ config });
  expect((await tools.call('mcp__files__read_file')).text()).toBe('files ran read_file');
  expect(tools.manager.server('web').status.needs).toEqual([{ kind: 'variable', name: 'NO_SUCH_VARIABLE' }]);

  const strict = openTools({ config, unsetVariables: 'error' });
  await expect(strict).rejects.toMatchObject({ code: 'invalid-config', issues: [{ code: 'unset-variable' }] });
});

describe('the start', () => {
  test('can be followed from its beginning', async () => {
    const seen: string[] = [];
    await using tools = await openTools({
      mcpServers: { a: named('a', 'one'), dead: testServer('exits-at-once') },
      beforeStart: async ({ manager }) => {
        await Promise.resolve();
        expect(manager.status().map(({ state }) => state)).toEqual(['stopped', 'stopped']);
        manager.events.on('server-state', ({ server, state }) => seen.push(`${server} ${state.phase}`));
      },
    });
    expect(seen).toEqual(expect.arrayContaining(['a queued', 'dead queued', 'a starting', 'dead starting', 'a ready']));
    expect(tools.manager.server('a').state).toBe('running');
  });

  test('fails with an error of beforeStart, before any server runs', async () => {
    const cause = new Error('no progress line');
    const beforeStart = (): never => {
      throw cause;
    };
    await expect(openTools({ mcpServers: { a: named('a', 'one') }, beforeStart })).rejects.toBe(cause);
  });

  test('fails with "closed" if beforeStart or a listener closes the tools', async () => {
    const mcpServers = { a: named('a', 'one') };
    const closing = openTools({ mcpServers, beforeStart: (tools) => tools.close() });
    await expect(closing).rejects.toMatchObject({ code: 'closed' });
    const beforeStart = (tools: Tools): void => {
      tools.manager.events.on('server-state', ({ state }) => void (state.phase === 'starting' && tools.close()));
    };
    await expect(openTools({ mcpServers, beforeStart })).rejects.toMatchObject({ code: 'closed' });
    await expectNoLeaks();
  });

  test('ends with its signal, and leaves nothing running', async () => {
    const ending = new AbortController();
    const reason = new Error('the window was closed');
    const opening = openTools({
      mcpServers: { ready: named('a', 'one'), hanging: testServer('never-initializes') },
      signal: ending.signal,
      beforeStart: ({ manager }) => {
        manager.events.on('server-state', ({ state }) => state.phase === 'ready' && ending.abort(reason));
      },
    });
    await expect(opening).rejects.toBe(reason);
    await expectNoLeaks();
    await expect(openTools({ mcpServers: {}, signal: ending.signal })).rejects.toBe(reason);
  });

  test('ends with its signal while beforeStart waits', async () => {
    const ending = new AbortController();
    const reason = new Error('the window was closed');
    const beforeStart = (): Promise<void> => {
      ending.abort(reason);
      return new Promise(() => undefined);
    };
    await expect(openTools({ mcpServers: {}, signal: ending.signal, beforeStart })).rejects.toBe(reason);
  });

  test('is over when openTools resolves: its signal ends nothing any more', async () => {
    const ending = new AbortController();
    await using tools = await openTools({ mcpServers: { a: named('a', 'one') }, signal: ending.signal });
    ending.abort();
    expect((await tools.call('mcp__a__one')).text()).toBe('a ran one');
  });
});

describe('a tool of a server that has never listed its tools', () => {
  const roles = [
    { role: 'some', allowedTools: ['gone.read'] },
    { role: 'none', allowedTools: ['other'] },
  ];

  test('is unknown for the reason of the server', async () => {
    await using tools = await openTools({ mcpServers: { gone: { command: 'no-such-command-anywhere' } }, roles });
    const message = expect.stringMatching(
      /^There is no tool named "mcp__gone__read"; server "gone": its tools could not be listed: .*no-such-command-anywhere/,
    );
    await expect(tools.call('mcp__gone__read')).rejects.toMatchObject({ code: 'unknown-tool', message });
    await expect(tools.as('some').call('mcp__gone__read')).rejects.toMatchObject({ message });
    await expect(tools.as('some').call('gone.read')).rejects.toThrow('server "gone": its tools');
  });

  test('is like any unknown tool for a role that may not use it', async () => {
    await using tools = await openTools({ mcpServers: { gone: { command: 'no-such-command-anywhere' } }, roles });
    const reasonFor = (role: string, server: string) =>
      tools
        .as(role)
        .call(`mcp__${server}__write`)
        .then(
          () => 'ran',
          (error: Error) => error.message.replace(server, 'X'),
        );
    for (const role of ['some', 'none', 'no such role']) {
      expect(await reasonFor(role, 'gone')).toBe(await reasonFor(role, 'no-such-server'));
    }
  });
});

test('overrides say what is shown of a tool, and their change restarts nothing', async () => {
  const files = (tools: ToolOverrides) => ({ files: { ...named('files', 'read_file', 'write_file'), tools } });
  await using tools = await openTools({ mcpServers: files({ read_file: { description: 'Opens a book' } }) });
  const { pid } = tools.manager.server('files').status;
  expect((await tools.search('book')).tools.map(({ name }) => name)).toEqual(['mcp__files__read_file']);
  const report = await tools.reload({ mcpServers: files({ write_file: { hidden: true } }) });
  expect(report).toMatchObject({ updated: ['files'], restarted: [] });
  expect(tools.manager.server('files').status.pid).toBe(pid);
  expect(tools.get('mcp__files__read_file')?.description).toBe('The tool read_file of files');
  await expect(tools.call('mcp__files__write_file')).rejects.toMatchObject({ code: 'unknown-tool' });
});

describe('reload', () => {
  test('adds, removes and changes servers and roles', async () => {
    await using tools = await openTools({ mcpServers: { a: named('a', 'one'), b: named('b', 'one') } });
    const { pid } = tools.manager.server('a').status;
    const report = await tools.reload({
      mcpServers: { a: named('a', 'one'), c: named('c', 'two') },
      roles: [{ role: 'reader', allowedTools: ['c'] }],
    });
    expect(report).toMatchObject({ added: ['c'], removed: ['b'], kept: ['a'] });
    expect(names(tools)).toEqual(['mcp__a__one', 'mcp__c__two', 'search_mcp_tools']);
    expect(names(tools.as('reader'))).toEqual(['mcp__c__two', 'search_mcp_tools']);
    expect(tools.manager.server('a').status.pid).toBe(pid);
  });

  test('ends no call in progress', async () => {
    const slow = testServer('slow');
    await using tools = await openTools({ mcpServers: { slow } });
    const call = await begun(tools, { ms: 500, steps: 5 });
    await tools.reload({ mcpServers: { slow, other: named('other', 'x') }, roles: [] });
    expect(names(tools)).toContain('mcp__other__x');
    expect((await call()).isError).not.toBe(true);
  });

  test('starts new servers while those of an earlier reload finish their calls', async () => {
    const slow = testServer('slow');
    const changed = { ...slow, env: { CHANGED: 'yes' } };
    await using tools = await openTools({ mcpServers: { slow } });
    const ending = new AbortController();
    const called = withResolvers();
    const options = { signal: ending.signal, onProgress: () => called.resolve() };
    const call = tools.call('mcp__slow__wait', { ms: 600_000, steps: 6_000 }, options);
    await called.promise;
    const first = tools.reload({ mcpServers: { slow: changed } });
    await tools.reload({ roles: [{ role: 'reader', allowedTools: ['other'] }] });
    const { added } = await tools.reload({ mcpServers: { slow: changed, other: named('other', 'x') } });
    expect(added).toEqual(['other']);
    expect(names(tools.as('reader'))).toEqual(['mcp__other__x', 'search_mcp_tools']);
    expect(tools.manager.server('slow').phase).toBe('draining');
    ending.abort(new Error('long enough'));
    expect(await call.catch(String)).toBeDefined();
    expect(await first).toMatchObject({ restarted: ['slow'], failures: [] });
  });

  test('changes servers and roles a hundred times, and loses no call', async () => {
    const inTurn = (turn: number) => ({
      mcpServers: {
        a: named(`a${Math.floor(turn / 10)}`, 'one'), // each tenth restarts it
        ...(turn % 10 < 5 && { b: named('b', 'two') }),
      },
      roles: [{ role: 'reader', allowedTools: turn % 3 === 0 ? ['a', 'b'] : ['a.one'] }],
    });
    await using tools = await openTools(inTurn(0));
    const reader = tools.as('reader');
    const ended = new AbortController();
    const caller = async (view: typeof reader) => {
      const answers: string[] = [];
      while (!ended.signal.aborted) answers.push((await view.call('mcp__a__one')).text());
      return answers;
    };
    const callers = [tools, tools, reader, reader].map(caller);
    for (let turn = 1; turn <= 100; turn++) {
      await tools.reload(inTurn(turn));
      expect((await tools.call('mcp__a__one')).text()).toBe(`a${Math.floor(turn / 10)} ran one`);
    }
    ended.abort();
    for (const answers of await Promise.all(callers)) {
      expect(answers.length).toBeGreaterThan(100);
      expect(answers.filter((answer) => !/^a\d+ ran one$/.test(answer))).toEqual([]);
    }
  }, 60_000);

  test('with a fault changes nothing', async () => {
    await using tools = await openTools({ mcpServers: { a: named('a', 'one') } });
    await expect(tools.reload({ mcpServers: { a: { command: '' } } })).rejects.toThrow(TypeError);
    expect(names(tools)).toContain('mcp__a__one');
    expect((await tools.call('mcp__a__one')).text()).toBe('a ran one');
  });
});

describe('files', () => {
  const servers = (...names: string[]) => ({
    mcp_servers: Object.fromEntries(
      names.map((name) => [
        name,
        { ...named(name, 'read', 'write'), auto_start: true, env: { KEY: { secret_ref: 'env:OPEN_TOOLS_KEY' } } },
      ]),
    ),
  });
  const rules = (...allowed: string[]) => ({
    tools: { app: { role_restrictions: { review: { allowed_tools: allowed } } } },
  });

  test('give servers, roles and secrets; changes apply while they are watched, and faults change nothing', async () => {
    process.env.OPEN_TOOLS_KEY = 'sesame-street';
    await using stage = await folderWith({ 'mcp_servers.yaml': servers('a'), 'tools.yaml': rules('a.read') });
    await using tools = await openTools({ config: stage.folder, watch: true });
    const reviewer = tools.as('review');
    expect(names(reviewer)).toEqual(['mcp__a__read', 'search_mcp_tools']);

    const faulty = new Promise((resolve) => tools.on('config-failed', ({ error }) => resolve(error)));
    await stage.write('tools.yaml', 'tools: [');
    expect(await faulty).toMatchObject({ code: 'invalid-config' });
    expect(names(reviewer)).toEqual(['mcp__a__read', 'search_mcp_tools']);

    const more = nextChange(tools, () => names(tools).includes('mcp__b__read'));
    await stage.write('tools.yaml', rules('a.read', 'b'));
    await stage.write('mcp_servers.yaml', servers('a', 'b'));
    await more;
    expect(names(reviewer)).toEqual(['mcp__a__read', 'mcp__b__read', 'mcp__b__write', 'search_mcp_tools']);
  });

  test('with errors throw all of them', async () => {
    await using stage = await folderWith({
      'mcp_servers.yaml': { mcp_servers: { a: { comand: 'x' }, b: { args: 1 } } },
    });
    const failure = openTools({ cwd: stage.folder });
    await expect(failure).rejects.toMatchObject({ code: 'invalid-config', issues: expect.any(Array) });
  });

  test('exclude servers in code', async () => {
    await expect(openTools({ mcpServers: {}, config: 'mcp_servers.yaml' })).rejects.toThrow(
      'mcpServers is the configuration; leave it out to read or watch files',
    );
    await expect(openTools({ mcpServer: {} } as never)).rejects.toThrow('did you mean mcpServers?');
  });
});

test('close lets calls in progress finish for a while, and refuses new ones', async () => {
  const tools = await openTools({ mcpServers: { slow: testServer('slow') } });
  const call = await begun(tools, { ms: 300, steps: 3 });
  const closing = tools.close({ drainMs: 60_000 });
  await expect(tools.call('mcp__slow__wait', { ms: 1 })).rejects.toMatchObject({ code: 'closed' });
  await closing;
  expect((await call()).isError).not.toBe(true);
});

test('close waits for a call without any option, and for the first one, whose checks are still loading', async () => {
  const tools = await openTools({ mcpServers: { slow: testServer('slow') } });
  const calls = [tools.call('mcp__slow__wait', { ms: 300 }), tools.call('mcp__slow__wait', { ms: 200 })];
  const closing = [tools.close({ drainMs: 60_000 }), tools.close({ drainMs: 60_000 })];
  for (const { isError } of await Promise.all(calls)) expect(isError).not.toBe(true);
  await Promise.all(closing);
});

describe('what is refused leaves everything as it was', () => {
  const roles = [{ role: 'r', allowedTools: ['a'] }];

  test('a reload with a faulty server, and the next one applies', async () => {
    await using tools = await openTools({ mcpServers: { a: named('a', 'one') }, roles });
    const faulty = { mcpServers: { a: { command: '' } }, roles: [{ role: 'r', allowedTools: [] }] };
    await expect(tools.reload(faulty)).rejects.toThrow('command must not be empty');
    expect(names(tools.as('r'))).toEqual(['mcp__a__one', 'search_mcp_tools']);
    const { added } = await tools.reload({ mcpServers: { a: named('a', 'one'), b: named('b', 'two') } });
    expect(added).toEqual(['b']);
  });

  test('misspelt options and events, and a setting that is lost', async () => {
    await using tools = await openTools({ mcpServers: { a: named('a', 'one') }, roles });
    expect(() => tools.as('r', { principel: 'x' } as never)).toThrow('did you mean principal?');
    expect(() => tools.on('chnage' as never, () => undefined)).toThrow('did you mean change?');
    await expect(tools.reload({ mcpServer: {} } as never)).rejects.toThrow('did you mean mcpServers?');
    await expect(tools.close({ drainMs: -1 })).rejects.toThrow('drainMs must be');
    await expect(openTools({ mcpServers: undefined })).rejects.toThrow('mcpServers is undefined');
    expect((await tools.call('mcp__a__one')).text()).toBe('a ran one');
  });
});

test('a server that never ran starts when a reload repairs it', async () => {
  await using tools = await openTools({ mcpServers: { a: { command: 'no-such-command-anywhere' } } });
  expect(names(tools)).toEqual(['search_mcp_tools']);
  await tools.reload({ mcpServers: { a: named('a', 'one') } });
  expect((await tools.call('mcp__a__one')).text()).toBe('a ran one');
});

test('a watched file whose server is refused is an event, and the next content applies', async () => {
  const file = (...names: string[]) => ({
    mcp_servers: Object.fromEntries(names.map((name) => [name, { ...named(name, 'x'), auto_start: true }])),
  });
  await using stage = await folderWith({ 'mcp_servers.yaml': file('a') });
  await using tools = await openTools({ config: stage.folder, watch: true });
  const refused = new Promise<Error>((resolve) => tools.on('config-failed', ({ error }) => resolve(error)));
  await stage.write('mcp_servers.yaml', {
    mcp_servers: { a: { url: 'http://user:word@127.0.0.1/', auto_start: true } },
  });
  expect((await refused).message).toMatch(/user name|password|credentials/);
  const more = nextChange(tools, () => names(tools).includes('mcp__b__x'));
  await stage.write('mcp_servers.yaml', file('a', 'b'));
  await more;
  await expect(tools.reload({ mcpServers: {} })).rejects.toThrow('The servers come from files');
});
