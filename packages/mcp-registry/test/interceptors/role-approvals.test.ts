import type { CallHandler } from '@x/internal/contracts';
import type { Interceptor } from '@x/internal/views';
import { textOf, textResult, tool } from '@x/test-servers';
import { describe, expect, test } from 'vitest';
import type { AuditEvent } from '../../src/audit/audit-event.js';
import {
  type ApprovalRequest,
  approveByRole,
  approveCalls,
  createApprovalQueue,
  type RoleApproval,
} from '../../src/interceptors.js';
import { createRegistry, type RegistryOptions } from '../../src/registry.js';
import type { RoleRule } from '../../src/roles/role-rule.js';

const tools = [
  tool('query', { annotations: { readOnlyHint: true } }),
  tool('insert', { annotations: { destructiveHint: false } }),
  tool('drop'),
];

async function open(roles: readonly RoleRule[], options: RegistryOptions = {}) {
  const ran: string[] = [];
  const asked: ApprovalRequest[] = [];
  const registry = createRegistry({
    roles,
    approval: approveByRole({
      ask: (request) => {
        asked.push(request);
        return { decision: 'approve', by: 'ada' };
      },
    }),
    ...options,
  });
  const { ready } = registry.attach({
    name: 'db',
    listTools: () => tools,
    async callTool(name) {
      ran.push(name);
      return textResult('done');
    },
  });
  await ready;
  return { registry, ran, asked: () => asked.map(({ tool: name }) => name) };
}

const dev = { role: 'dev', allowedTools: ['db'] };
const names = ['query', 'insert', 'drop'];

describe('a role with askBefore', () => {
  test.each([
    [['db.drop'], ['drop']],
    [['drop'], ['drop']],
    [
      ['*.d*', 'mcp__db__query'],
      ['query', 'drop'],
    ],
    [['destructive'], ['drop']],
    [
      ['destructive', 'db.query'],
      ['query', 'drop'],
    ],
    [['db'], names],
    [[], []],
  ])('asks before calls of %j, and before no others', async (askBefore, expected) => {
    const { registry, asked, ran } = await open([{ ...dev, askBefore }]);
    const view = registry.view({ role: 'dev' });
    for (const name of names) expect(textOf(await view.call(`mcp__db__${name}`, {}))).toBe('done');
    expect(asked()).toEqual(expected);
    expect(ran).toEqual(names);
  });

  test('asks a user once who said yes to the same call before, and anyone else again', async () => {
    const questions: string[] = [];
    const answers = { decision: 'approve' };
    const handler: CallHandler = {
      client: {},
      capabilities: { elicitation: {} },
      answer: async ({ params }) => {
        questions.push(String(params.message));
        return { action: 'accept', content: answers };
      },
    };
    const queue = createApprovalQueue();
    queue.events.on('approval-requested', ({ id }) => void queue.approve(id, { by: 'ada' }));
    const rules = { tools: ['drop'] };
    const change: Interceptor = {
      name: 'change',
      call: ({ args }, next) => next(args.table === 'users' ? { args: { table: 'all' } } : undefined),
    };
    const asking = { ...dev, askBefore: ['drop'] };
    const { registry, ran } = await open([asking], {
      interceptors: [approveCalls({ ask: 'elicitation', rules })],
      approval: approveByRole({ ask: ['elicitation', queue.ask] }),
    });
    const call = (table: string) => registry.view({ role: 'dev' }).call('mcp__db__drop', { table }, { handler });
    expect(textOf(await call('logs'))).toBe('done');
    expect(textOf(await call('logs'))).toBe('done');
    expect(questions).toHaveLength(2);
    answers.decision = 'deny';
    await expect(call('logs')).rejects.toThrow('was denied');
    expect(questions).toHaveLength(3);
    answers.decision = 'approve';

    const byQueue = await open([asking], {
      interceptors: [approveCalls({ ask: 'elicitation', rules })],
      approval: approveByRole({ ask: queue.ask }),
    });
    const settled: string[] = [];
    queue.events.on('approval-settled', ({ request }) => void settled.push(request.tool));
    await byQueue.registry.view({ role: 'dev' }).call('mcp__db__drop', {}, { handler });
    expect(settled).toEqual(['drop']);

    const changed = await open([asking], {
      interceptors: [approveCalls({ ask: 'elicitation', rules }), change],
      approval: approveByRole({ ask: 'elicitation' }),
    });
    const late = changed.registry.view({ role: 'dev' }).call('mcp__db__drop', { table: 'users' }, { handler });
    await expect(late).rejects.toThrow('changed after the interceptor "approve-calls"');
    expect(ran).toEqual(['drop', 'drop']);
  });

  test.each([
    ['without the option', undefined],
    ['with elicitation, and a caller that cannot be asked', approveByRole({ ask: 'elicitation' })],
  ])('refuses the calls if there is no way to ask: %s', async (_, approval) => {
    const { registry, ran } = await open([{ ...dev, askBefore: ['drop'] }], { approval });
    const view = registry.view({ role: 'dev' });
    await expect(view.call('mcp__db__drop', {})).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('needs an approval, and there is no way to ask for it'),
    });
    await view.call('mcp__db__query', {});
    expect(ran).toEqual(['query']);
  });

  test('asks for the default role too, and for no caller without a role', async () => {
    const { registry, asked } = await open([{ ...dev, askBefore: ['drop'], isDefault: true }]);
    await registry.call('mcp__db__drop', {});
    expect(asked()).toEqual([]);
    await registry.view({ principal: 'eve' }).call('mcp__db__drop', {});
    expect(asked()).toEqual(['drop']);
  });

  test('passes it on to roles that inherit it; no rule takes an entry back', async () => {
    const { registry, asked } = await open([
      { ...dev, askBefore: ['drop'] },
      { role: 'ops', allowedTools: ['db'], inherits: ['dev'] },
      { role: 'ops', allowedTools: ['db'], askBefore: ['insert'] },
    ]);
    for (const name of names) await registry.view({ role: 'ops' }).call(`mcp__db__${name}`, {});
    expect(asked()).toEqual(['insert', 'drop']);
  });

  test('applies changed rules to the next call, and refuses a call that waits under the earlier ones', async () => {
    const queue = createApprovalQueue();
    const { registry, ran } = await open([dev], { approval: approveByRole({ ask: queue.ask }) });
    const view = registry.view({ role: 'dev', principal: 'eve' });
    await view.call('mcp__db__drop', {});
    registry.update({ roles: [{ ...dev, askBefore: ['drop'] }] });
    const waits = new Promise<ApprovalRequest>((resolve) => void queue.events.on('approval-requested', resolve));
    const call = view.call('mcp__db__drop', {});
    const { id } = await waits;
    registry.update({ roles: [{ ...dev, askBefore: ['drop', 'query'] }] });
    expect(queue.approve(id, { by: 'ada' })).toBe(true);
    await expect(call).rejects.toMatchObject({ message: expect.stringContaining('rules that have changed since') });
    registry.update({ roles: [dev] });
    await view.call('mcp__db__drop', {});
    expect(ran).toEqual(['drop', 'drop']);
  });

  test('a call whose time ends during the question was not run', async () => {
    const queue = createApprovalQueue();
    const { registry, ran } = await open([{ ...dev, askBefore: ['drop'] }], {
      approval: approveByRole({ ask: queue.ask }),
    });
    const call = registry.view({ role: 'dev' }).call('mcp__db__drop', {}, { timeoutMs: 20 });
    await expect(call).rejects.toMatchObject({ code: 'timed-out', message: expect.stringMatching(/It was not run$/) });
    expect([queue.pending(), ran]).toEqual([[], []]);
  });

  test('is audited with who answered', async () => {
    const events: AuditEvent[] = [];
    const { registry } = await open([{ ...dev, askBefore: ['drop'] }], { audit: (event) => void events.push(event) });
    await registry.view({ role: 'dev' }).call('mcp__db__drop', {});
    expect(events.at(-1)).toMatchObject({
      outcome: 'ok',
      interceptors: [
        { interceptor: 'approval', decision: 'noted', note: expect.stringMatching(/^approved by ada: sha/) },
      ],
    });
  });
});

test('explain says which rule asks', async () => {
  const { registry } = await open([
    { ...dev, askBefore: ['destructive'] },
    { role: 'ops', allowedTools: ['db'], inherits: ['dev'] },
  ]);
  const said = async (name: string) => (await registry.explain('ops', name)).message;
  expect(await said('db.drop')).toMatch(
    /Each call needs an approval: the rule at roles\[0\] of the role "dev", which it inherits, asks before "destructive"\.$/,
  );
  expect(await said('db.query')).not.toContain('approval');
  expect(await said('search_mcp_tools')).not.toContain('approval');
});

test('an invalid approval is refused at once', () => {
  expect(() => approveByRole({ ask: 'phone' as never })).toThrow(/^ask must be a function/);
  expect(() => createRegistry({ approval: { ask: 'elicitation' } as never })).toThrow(/^approval must be a function/);
});

test('what cannot ask refuses, and is created again after a failure', async () => {
  const failures = [() => Promise.reject(new Error('not loaded')), () => ({ name: 'empty' })];
  for (const approval of failures) {
    const { registry, ran } = await open([{ ...dev, askBefore: ['drop'] }], { approval });
    const view = registry.view({ role: 'dev' });
    for (const _ of [1, 2]) await expect(view.call('mcp__db__drop', {})).rejects.toMatchObject({ code: 'refused' });
    expect(ran).toEqual([]);
  }
  let loads = 0;
  const approval: RoleApproval = async (rules) => {
    loads += 1;
    if (loads === 1) throw new Error('not loaded');
    return approveByRole({ ask: () => ({ decision: 'approve' }) })(rules);
  };
  const { registry, ran } = await open([{ ...dev, askBefore: ['drop'] }], { approval });
  const view = registry.view({ role: 'dev' });
  await expect(view.call('mcp__db__drop', {})).rejects.toMatchObject({ code: 'refused' });
  for (const _ of [1, 2]) await view.call('mcp__db__drop', {});
  expect([loads, ran]).toEqual([2, ['drop', 'drop']]);
});

test('an entry that matches nothing is reported', async () => {
  const { registry } = await open([{ ...dev, askBefore: ['db.dorp', 'destructive', 'drop'] }]);
  expect(await registry.diagnostics()).toMatchObject([
    { code: 'rule-matches-nothing', list: 'askBefore', pattern: 'db.dorp', suggestions: ['mcp__db__drop'] },
  ]);
});
