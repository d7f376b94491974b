import { createListSource, tool } from '@x/test-servers';
import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../src/registry.js';
import { nextChange } from '../helpers/next-event.js';

const roles = [
  { role: 'review', allowedTools: ['git.log', 'files', 'note'] },
  { role: 'guest', allowedTools: ['note'], isDefault: true },
];

async function createServers(rules = roles) {
  const registry = createRegistry({ roles: rules });
  const files = createListSource('files', [tool('read')]);
  await registry.attach(files).ready;
  await registry.attach(createListSource('git', [tool('log'), tool('push')])).ready;
  registry.register({ name: 'note', description: 'Takes a note' }, () => 'noted');
  const namesFor = (options?: object) =>
    registry
      .view(options)
      .list()
      .map(({ name }) => name);
  return { registry, files, namesFor };
}

describe('a principal', () => {
  test('with a role sees what the role sees', async () => {
    const { registry, namesFor } = await createServers();
    expect(namesFor({ role: 'review', principal: 'alice' })).toEqual(namesFor({ role: 'review' }));
    const [one, other] = ['alice', 'bob'].map((principal) => registry.view({ role: 'review', principal }));
    expect(one?.list()).toBe(other?.list());
  });

  test('without a role has the default one', async () => {
    const { namesFor } = await createServers();
    expect(namesFor({ principal: 'alice' })).toEqual(['note', 'search_mcp_tools']);
  });

  test('without a role sees nothing where there is no default', async () => {
    const { registry, namesFor } = await createServers(roles.slice(0, 1));
    expect(namesFor({ principal: 'alice' })).toEqual([]);
    await expect(registry.view({ principal: 'alice' }).call('note')).rejects.toMatchObject({ code: 'unknown-tool' });
  });
});

describe('a group of servers', () => {
  test('gives a role only those of them that it may use', async () => {
    const { namesFor } = await createServers();
    expect(namesFor({ role: 'review', servers: ['git', 'web'] })).toEqual(['mcp__git__log', 'search_mcp_tools']);
    expect(namesFor({ servers: ['git'] })).toEqual(['mcp__git__log', 'mcp__git__push', 'search_mcp_tools']);
    expect(namesFor({ role: 'guest', servers: ['git'] })).toEqual(['search_mcp_tools']);
    expect(namesFor({ role: 'unknown', servers: ['git'] })).toEqual([]);
  });

  test('that is empty is nothing', async () => {
    const { registry, namesFor } = await createServers();
    expect(namesFor({ servers: [] })).toEqual([]);
    expect(namesFor({ role: 'review', servers: [] })).toEqual([]);
    const view = registry.view({ role: 'review', servers: [] });
    expect(await view.search({ query: '*' })).toMatchObject({ total: 0, tools: [] });
    await expect(view.call('mcp__git__log')).rejects.toMatchObject({ code: 'unknown-tool' });
  });

  test('hides the rest from calls and hints as a role does', async () => {
    const { registry } = await createServers();
    const view = registry.view({ role: 'review', servers: ['git'] });
    await expect(view.call('mcp__files__read')).rejects.toMatchObject({ code: 'unknown-tool', suggestions: [] });
    expect((await view.call('mcp__git__log')).content).toHaveLength(1);
  });

  test('holds for resources and prompts too', async () => {
    const { registry } = await createServers();
    const policy = registry.policy({ role: 'review', servers: ['git'] });
    const file = { kind: 'resource', server: 'files', uri: 'x:/y' } as const;
    expect(registry.policy({ role: 'review' })(file).isAllowed).toBe(true);
    expect(policy(file)).toEqual({ isAllowed: false, reason: 'outside-group' });
    expect(policy({ kind: 'prompt', server: 'git', prompt: 'p' }).isAllowed).toBe(false); // one tool of git is not git
  });
});

test('a role is compiled once for all callers', async () => {
  const { registry } = await createServers();
  const policy = registry.policy({ role: 'review' });
  expect(registry.policy({ role: 'review', principal: 'alice' })).toBe(policy);
  expect(registry.policy({ role: 'guest' })).not.toBe(policy);
  expect(registry.policy({ principal: 'alice' })).toBe(registry.policy({ principal: 'bob' }));
});

test('a policy decides as its view does', async () => {
  const { registry } = await createServers();
  for (const options of [{}, { role: 'review' }, { principal: 'x' }, { servers: ['git'] }, { role: 'nobody' }]) {
    const shown = registry.view(options).list();
    const policy = registry.policy(options);
    expect(registry.list().filter((view) => policy(view).isAllowed)).toEqual(shown);
  }
});

test.each([
  [{ role: undefined }, /role must be a text/],
  [{ role: 5 }, /role must be a text/],
  [{ principal: undefined }, /principal must be a text that is not empty/],
  [{ principal: '' }, /principal must be a text that is not empty/],
  [{ servers: undefined }, /servers must be a list of texts/],
  [{ servers: 'git' }, /servers must be a list of texts/],
  [{ servers: [undefined] }, /servers must be a list of texts/],
  [{ interceptors: undefined }, /interceptors must be a list of interceptors/],
  [{ rol: 'review' }, /rol is not an option; did you mean role\?/],
  [{ principle: 'alice' }, /principle is not an option; did you mean principal\?/],
  [{ server: ['git'] }, /server is not an option; did you mean servers\?/],
])('a lost option does not open everything: %j', async (options, message) => {
  const { registry } = await createServers();
  for (const ask of [() => registry.view(options as never), () => registry.policy(options as never)]) {
    expect(ask).toThrow(TypeError);
    expect(ask).toThrow(message);
  }
});

test('a caller with further fields is accepted as options', async () => {
  const { registry } = await createServers();
  const caller = { id: 'alice', role: 'review', scopes: [] };
  expect(registry.view(caller).list()).toEqual(registry.view({ role: 'review' }).list());
});

describe('an abandoned view', () => {
  test('leaves nothing behind: it follows the registry only while there are listeners', async () => {
    const { registry, files } = await createServers();
    const view = registry.view({ role: 'review', principal: 'alice', servers: ['files'] });
    const change = nextChange(view); // ends its subscription with the first event
    files.offer([tool('read'), tool('write')]);
    expect(await change).toMatchObject({ added: ['mcp__files__write'] });

    const seen: unknown[] = [];
    const first = view.events.on('tools-changed', (event) => seen.push(event));
    const second = view.events.on('tools-changed', (event) => seen.push(event));
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    const less = nextChange(registry);
    files.offer([tool('read')]);
    await less;
    expect(seen).toMatchObject([{ removed: ['mcp__files__write'] }]);
    second[Symbol.dispose]();
    const nothing = nextChange(registry);
    files.offer([]);
    await nothing;
    expect(seen).toHaveLength(1);
    expect(view.list().map(({ name }) => name)).toEqual(['search_mcp_tools']);
  });
});

describe('annotations', () => {
  test('count as they are at the time of the call', async () => {
    const registry = createRegistry({
      roles: [{ role: 'review', allowedTools: ['files'], requiredAnnotations: { readOnlyHint: true } }],
    });
    const files = createListSource('files', [tool('read', { annotations: { readOnlyHint: true } })]);
    await registry.attach(files).ready;
    const view = registry.view({ role: 'review' });
    expect((await view.call('mcp__files__read')).content).toHaveLength(1);
    const change = nextChange(view);
    files.offer([tool('read', { annotations: { readOnlyHint: false } })]);
    expect(await change).toMatchObject({ removed: ['mcp__files__read'] });
    await expect(view.call('mcp__files__read')).rejects.toMatchObject({ code: 'unknown-tool' });
    expect(files.calls).toHaveLength(1);
  });
});

test.each(['search_mcp_tools', 'call_mcp_tool'])(
  '%s cannot be a tool of the app, because every role may use it',
  (name) => {
    const registry = createRegistry();
    expect(() => registry.register({ name, description: '' }, () => '')).toThrow(
      expect.objectContaining({ code: 'duplicate-tool' }),
    );
  },
);
