import type { ToolArguments } from '@x/internal/contracts';
import type { Interceptor } from '@x/internal/views';
import { createListSource, textOf, textResult, tool } from '@x/test-servers';
import { expect, test } from 'vitest';
import type { AuditEvent } from '../../src/audit/audit-event.js';
import { createRegistry } from '../../src/registry.js';

const roles = [
  { role: 'dev', allowedTools: ['files.*', 'git.*'] },
  { role: 'reader', allowedTools: ['files.read'] },
];

const inputSchema = {
  type: 'object',
  properties: { owner: { type: 'string' }, repo: { type: 'string' } },
  required: ['owner', 'repo'],
};

/** Hides the argument `owner`, and supplies it. */
const owner: Interceptor = {
  name: 'owner',
  list(shown) {
    if (shown.tool !== 'issues') return shown;
    const { properties, required } = shown.inputSchema as typeof inputSchema;
    const { owner: _, ...others } = properties;
    const left = { ...shown.inputSchema, properties: others, required: required.filter((name) => name !== 'owner') };
    return { ...shown, description: 'Lists the issues of a project', inputSchema: left };
  },
  call: (call, next) => next({ args: { owner: 'acme', ...call.args } }),
};

async function createGit(interceptors: readonly Interceptor[]) {
  const calls: ToolArguments[] = [];
  const events: AuditEvent[] = [];
  const registry = createRegistry({ roles, interceptors, audit: (event) => void events.push(event) });
  await registry.attach({
    name: 'git',
    listTools: () => [{ ...tool('issues'), inputSchema }],
    async callTool(_, args) {
      calls.push(args);
      return textResult(JSON.stringify(args));
    },
  }).ready;
  return { registry, calls, events };
}

test('a tool has other texts and arguments everywhere, and its own schema checks the call', async () => {
  const { registry, calls } = await createGit([owner]);
  for (const view of [registry, registry.view({ role: 'dev' }), registry.view({ role: 'dev', servers: ['git'] })]) {
    const listed = view.list().find(({ tool: name }) => name === 'issues');
    expect(listed).toMatchObject({ name: 'mcp__git__issues', description: 'Lists the issues of a project' });
    expect(Object.isFrozen(listed)).toBe(true);
    expect(view.get('mcp__git__issues')).toBe(listed);
    expect((await view.describe('mcp__git__issues'))?.signature).toBe('mcp__git__issues(repo: string)');
    const found = await view.search({ query: 'project', detail: 'full' });
    expect(found.tools).toMatchObject([{ name: 'mcp__git__issues', inputSchema: { required: ['repo'] } }]);
    expect(textOf(await view.call('mcp__git__issues', { repo: 'x' }))).toBe('{"owner":"acme","repo":"x"}');
  }
  expect(calls).toHaveLength(3);
  await expect(registry.call('mcp__git__issues', {})).rejects.toMatchObject({ faults: [{ path: '/repo' }] });
  expect(calls).toHaveLength(3);
});

test('without a call that supplies it, a hidden required argument fails before the call', async () => {
  const { call: _, ...listing } = owner;
  const pass: Interceptor = { name: 'pass', call: (_call, next) => next() };
  const { registry, calls } = await createGit([listing, pass]);
  await expect(registry.call('mcp__git__issues', { repo: 'x' })).rejects.toMatchObject({ code: 'refused' });
  expect(calls).toEqual([]);
});

test('a hidden tool is unknown in lists, searches, calls and events, and an operator learns the reason', async () => {
  const hide: Interceptor = { name: 'hide', list: (shown) => (shown.tool === 'write' ? undefined : shown) };
  const events: AuditEvent[] = [];
  const registry = createRegistry({ roles, interceptors: [hide], audit: (event) => void events.push(event) });
  const source = createListSource('files', [tool('read'), tool('write')]);
  await registry.attach(source).ready;
  for (const view of [registry, registry.view({ role: 'dev' })]) {
    expect(view.list().map(({ tool: name }) => name)).toEqual(['read', 'search_mcp_tools']);
    expect(view.get('mcp__files__write')).toBeUndefined();
    expect((await view.search({ query: 'write' })).tools).toEqual([]);
    await expect(view.call('mcp__files__write')).rejects.toMatchObject({
      code: 'unknown-tool',
      suggestions: ['mcp__files__read'],
    });
  }
  expect(events.at(-1)).toMatchObject({ action: 'call', decision: 'denied', tool: 'write' });
  expect(await registry.explain('dev', 'files.write')).toMatchObject({
    decision: 'denied',
    message: expect.stringContaining('an interceptor hides it'),
  });

  const changes = registry.changes();
  source.offer([tool('read'), { ...tool('write'), description: 'Other' }]);
  source.offer([{ ...tool('read'), description: 'Other' }]);
  expect(await changes.next()).toMatchObject({ value: { added: [], removed: [], changed: ['mcp__files__read'] } });
});

test('decides by role, and again when the rules change', async () => {
  const note: Interceptor = {
    name: 'note',
    list: (shown, { role }) => ({ ...shown, description: `For ${role ?? 'everybody'}` }),
  };
  const registry = createRegistry({ roles, interceptors: [note] });
  await registry.attach(createListSource('files', [tool('read')])).ready;
  const reader = registry.view({ role: 'reader' });
  const byDefault = registry.view({ principal: 'ada' });
  expect(registry.get('mcp__files__read')?.description).toBe('For everybody');
  expect(reader.get('mcp__files__read')?.description).toBe('For reader');
  expect(byDefault.list()).toEqual([]);
  registry.update({ roles: [{ role: 'guest', allowedTools: ['files.*'], isDefault: true }] });
  expect(byDefault.get('mcp__files__read')?.description).toBe('For guest');
  expect(reader.list()).toEqual([]);
});

test('cannot rename a tool, move it to another server or change what its rules read', async () => {
  const move: Interceptor = {
    name: 'move',
    list: (shown) => ({
      ...shown,
      name: 'x',
      server: 'y',
      tool: 'z',
      state: 'failed',
      annotations: { readOnlyHint: true },
    }),
  };
  const registry = createRegistry({ interceptors: [move] });
  await registry.attach(createListSource('files', [tool('read')])).ready;
  const plain = createRegistry();
  await plain.attach(createListSource('files', [tool('read')])).ready;
  expect(registry.list()).toEqual(plain.list());
});

test.each<[string, Interceptor['list']]>([
  [
    'throws',
    () => {
      throw new Error('no');
    },
  ],
  ['returns no schema', (shown) => ({ ...shown, inputSchema: undefined as never })],
])('a tool is hidden, with a warning, if list() %s', async (_, list) => {
  const warnings: string[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning.message);
  process.on('warning', onWarning);
  try {
    const registry = createRegistry({ interceptors: [{ name: 'broken', ...(list && { list }) }] });
    await registry.attach(createListSource('files', [tool('read')])).ready;
    expect(registry.list()).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings.join()).toContain('The interceptor "broken" threw');
  } finally {
    process.off('warning', onWarning);
  }
});
