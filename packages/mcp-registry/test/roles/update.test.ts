import { createListSource, textResult, tool } from '@x/test-servers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RegistryView, ToolSource, ToolsChange } from '../../src/index.js';
import { createRegistry } from '../../src/registry.js';
import type { RoleRule } from '../../src/roles.js';

const WRITE = 'mcp__files__write';
const wide: RoleRule[] = [{ role: 'r', allowedTools: ['files'] }];
const narrow: RoleRule[] = [{ role: 'r', allowedTools: ['files.read'] }];
const escaped = (text: string) => text.replaceAll(/[()[\]?.]/g, '\\$&');
const namesOf = (view: RegistryView) => view.list().map(({ name }) => name);

async function createFiles(roles: readonly RoleRule[] = wide) {
  const registry = createRegistry({ roles });
  await registry.attach(createListSource('files', [tool('read'), tool('write')])).ready;
  return registry;
}

describe('update({ roles })', () => {
  test('removes a tool from every existing view', async () => {
    const registry = await createFiles();
    const views = [
      registry.view({ role: 'r' }),
      registry.view({ role: 'r', principal: 'alice' }),
      registry.view({ role: 'r', servers: ['files'] }),
    ];
    const policy = registry.policy({ role: 'r' });
    for (const view of views) expect(namesOf(view)).toContain(WRITE);
    registry.update({ roles: narrow });
    for (const view of views) {
      expect(namesOf(view)).not.toContain(WRITE);
      expect(view.get(WRITE)).toBeUndefined();
      expect((await view.search({ query: 'write' })).tools).toEqual([]);
      await expect(view.call(WRITE)).rejects.toMatchObject({ code: 'unknown-tool' });
    }
    expect(policy({ server: 'files', tool: 'write' }).isAllowed).toBe(false);
    registry.update({ roles: wide });
    for (const view of views) expect((await view.call(WRITE)).isError).toBeUndefined();
  });

  test('notifies the views whose tools changed, and no other view', async () => {
    const other: RoleRule = { role: 'other', allowedTools: ['files.read'] };
    const registry = await createFiles([...wide, other]);
    const told: [string, ToolsChange | 'access'][] = [];
    for (const role of ['r', 'other']) {
      const view = registry.view({ role });
      view.events.on('tools-changed', (change) => told.push([role, change]));
      view.events.on('access-changed', () => told.push([role, 'access']));
    }
    const before = registry.view({ role: 'r' }).revision;
    registry.update({ roles: [...narrow, other] });
    expect(told).toEqual([
      ['r', { revision: before + 1, added: [], removed: [WRITE], changed: [] }],
      ['r', 'access'],
    ]);
    told.length = 0;
    registry.update({ roles: [...narrow, { ...other, source: { line: 7, column: 1 } }] });
    expect(told).toEqual([]);
  });

  test('does not affect calls in progress', async () => {
    let finish = () => {};
    let begin = () => {};
    const began = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const source: ToolSource = {
      name: 'files',
      listTools: () => [tool('write')],
      callTool: () =>
        new Promise((resolve) => {
          finish = () => resolve(textResult('written'));
          begin();
        }),
    };
    const registry = createRegistry({ roles: wide });
    await registry.attach(source).ready;
    const view = registry.view({ role: 'r' });
    const call = view.call(WRITE);
    await began;
    registry.update({ roles: [] });
    expect(view.list()).toEqual([]);
    finish();
    expect(await call).toMatchObject({ content: [{ text: 'written' }] });
  });

  test('gives rights to a role that no rule named, and takes them back', async () => {
    const registry = await createFiles([]);
    const view = registry.view({ role: 'r' });
    const policy = registry.policy({ role: 'r' });
    expect(view.list()).toEqual([]);
    registry.update({ roles: wide });
    expect(namesOf(view)).toContain(WRITE);
    expect(policy({ server: 'files', tool: 'write' }).isAllowed).toBe(true);
    registry.update({ roles: [] });
    expect(view.list()).toEqual([]);
    expect(registry.view({ role: 'r' }).list()).toEqual([]);
    expect(policy({ server: 'files', tool: 'write' })).toEqual({
      isAllowed: false,
      reason: 'unknown-role',
      message: 'no rule names the role "r", so it sees nothing. There are no roles.',
    });
  });

  test('gives principals without a role the default role of the moment', async () => {
    const audited: unknown[] = [];
    const registry = createRegistry({ roles: wide, audit: (event) => audited.push(event) });
    const callers: unknown[] = [];
    await registry.attach({
      name: 'files',
      listTools: () => [tool('write')],
      callTool: async (_, __, { caller }) => {
        callers.push(caller);
        return textResult('written');
      },
    }).ready;
    const view = registry.view({ principal: 'alice' });
    expect(view.list()).toEqual([]);
    registry.update({ roles: [{ role: 'r', allowedTools: ['files'], isDefault: true }] });
    await view.call(WRITE);
    expect(callers).toEqual([{ role: 'r', principal: 'alice' }]);
    expect(audited.at(-1)).toMatchObject({ action: 'call', role: 'r', principal: 'alice' });
  });

  test('changes nothing at all if a rule is wrong', async () => {
    const registry = await createFiles();
    const view = registry.view({ role: 'r' });
    const before = view.list();
    const wrong = [
      [{ role: 'r', allowedTools: 'files' }],
      [{ role: 'r', allowedTools: [], inherits: ['nobody'] }],
      [{ role: 'r', allowedTools: [], denied_tools: [] }],
    ];
    for (const roles of wrong) {
      expect(() => registry.update({ roles, trust: 'approve' } as never)).toThrow(TypeError);
    }
    expect(() => registry.update({ roles: [], trust: 'none' } as never)).toThrow(/trust must be/);
    expect(() => registry.update({ role: [] } as never)).toThrow(
      'update(): role is not an option; did you mean roles?',
    );
    expect(view.list()).toBe(before);
  });

  test.each([
    [undefined, 'The changes must be an object with roles'],
    [null, 'The changes must be an object with roles'],
    [{ trust: null }, 'trust must be "all"'],
    [{ roles: null }, 'roles must be a list'],
    [{ roles: [], trust: null }, 'trust must be "all"'],
    [{ roles: null, trust: 'approve' }, 'roles must be a list'],
    [{ roles: [], trust: { default: 'approve', server: { files: 'all' } } }, 'did you mean trust.servers?'],
    [{ roles: [], trust: { deflaut: 'approve' } }, 'trust.deflaut is not an option; did you mean trust.default?'],
    [{ roles: [], trust: { servers: { files: null } } }, 'trust.servers["files"] must be "all"'],
    [{ roles: [], trust: [] }, 'trust must be "all"'],
    [{ roles: [], knownServers: 'files' }, 'knownServers must be a list of texts'],
    [{ roles: [], knownServers: null }, 'knownServers must be a list of texts'],
    [{ roles: [], trusts: 'approve' }, 'did you mean trust?'],
  ])('checks everything before anything changes: %j', async (changes, message) => {
    const registry = createRegistry({ roles: wide, trust: 'approve' });
    await registry.attach(createListSource('files', [tool('read'), tool('write')])).ready;
    await registry.pins.approve(await registry.pins.list());
    const view = registry.view({ role: 'r' });
    const before = [view.list(), await registry.pins.list(), await registry.diagnostics()];
    expect(() => registry.update(changes as never)).toThrow(new RegExp(`^${escaped(message)}|${escaped(message)}$`));
    expect(() => registry.update(changes as never)).toThrow(TypeError);
    expect([view.list(), await registry.pins.list(), await registry.diagnostics()]).toEqual(before);
    expect((await view.call(WRITE)).isError).toBeUndefined();
    await registry.attach(createListSource('git', [tool('log')])).ready;
    expect(await registry.pins.list({ server: 'git' })).toMatchObject([{ trust: 'pending' }]);
  });

  test('is refused by a registry that is closed', async () => {
    const registry = await createFiles();
    await registry.close();
    expect(() => registry.update({ roles: [] })).toThrow(expect.objectContaining({ code: 'closed' }));
  });
});

describe('update({ trust })', () => {
  test('holds unapproved tools back, and shows them again', async () => {
    const registry = await createFiles();
    const view = registry.view({ role: 'r' });
    registry.update({ trust: { servers: { files: 'approve' } } });
    expect(namesOf(view)).toEqual(['search_mcp_tools']);
    await expect(view.call(WRITE)).rejects.toMatchObject({ code: 'unknown-tool' });
    await registry.pins.approve((await registry.pins.list({ server: 'files' })).filter(({ tool }) => tool === 'read'));
    expect(namesOf(view)).toEqual(['mcp__files__read', 'search_mcp_tools']);
    registry.update({ trust: 'all' });
    expect(namesOf(view)).toContain(WRITE);
  });

  test('treats the current listing as the first use', async () => {
    const source = createListSource('files', [tool('read')]);
    const registry = createRegistry();
    await registry.attach(source).ready;
    registry.update({ trust: 'pin-on-first-use' });
    expect(registry.get('mcp__files__read')).toBeDefined();
    await registry.attach(createListSource('later', [tool('read')])).ready;
    expect((await registry.pins.list()).map(({ server, trust }) => [server, trust])).toEqual([
      ['files', 'trusted'],
      ['later', 'trusted'],
    ]);
  });

  test('never shows more than the old or the new rules allow while both change', async () => {
    const registry = await createFiles(narrow);
    registry.update({ trust: 'approve' });
    const view = registry.view({ role: 'r' });
    const seen: string[][] = [];
    view.events.on('tools-changed', () => seen.push(namesOf(view)));
    registry.events.on('tools-changed', () => seen.push(namesOf(view)));
    registry.update({ roles: [{ role: 'r', allowedTools: ['files.write'] }], trust: 'all' });
    for (const names of seen) expect(names).not.toContain('mcp__files__read');
    expect(namesOf(view)).toContain(WRITE);
  });
});

test('after any number of updates a view answers as one that was made with the last rules', async () => {
  const pattern = fc.constantFrom('files', 'files.read', 'files/write', 'mcp__files__w*', 'other', 'other.read');
  const rule = fc.record({
    role: fc.constantFrom('r', 's'),
    allowedTools: fc.array(pattern, { maxLength: 3 }),
    deniedTools: fc.array(fc.constantFrom('read', 'files.*', 'mcp__*__write'), { maxLength: 1 }),
    isDefault: fc.constant(false),
  });
  const steps = fc.array(fc.array(rule, { maxLength: 3 }), { minLength: 1, maxLength: 5 });
  const who = [{ role: 'r' }, { role: 's', principal: 'p' }, { principal: 'p' }, { role: 'r', servers: ['files'] }];
  await fc.assert(
    fc.asyncProperty(steps, async (rules) => {
      const attach = async (roles: readonly RoleRule[]) => {
        const registry = createRegistry({ roles });
        for (const server of ['files', 'other']) {
          await registry.attach(createListSource(server, [tool('read'), tool('write')])).ready;
        }
        return registry;
      };
      const living = await attach([]);
      const views = who.map((options) => living.view(options));
      const followed = views.map((view) => new Set(namesOf(view)));
      views.forEach((view, place) => {
        view.events.on('tools-changed', ({ added, removed }) => {
          for (const name of removed) followed[place]?.delete(name);
          for (const name of added) followed[place]?.add(name);
        });
      });
      for (const roles of rules) living.update({ roles });
      const fresh = await attach(rules.at(-1) ?? []);
      for (const [place, options] of who.entries()) {
        const expected = namesOf(fresh.view(options));
        expect(namesOf(views[place] as RegistryView)).toEqual(expected);
        expect(followed[place]).toEqual(new Set(expected));
        const found = await (views[place] as RegistryView).search({ query: 'read', detail: 'names' });
        const wanted = await fresh.view(options).search({ query: 'read', detail: 'names' });
        expect(found.tools).toEqual(wanted.tools);
      }
    }),
    { numRuns: 50 },
  );
});
