import { createListSource, textResult, tool } from '@x/test-servers';
import { describe, expect, test } from 'vitest';
import type { AuditEvent, AuditSink } from '../../src/audit.js';
import { createRegistry } from '../../src/registry.js';

const source = { file: 'tools.yaml', line: 5, column: 7 };
const review = { role: 'review', allowedTools: ['files.read_*', 'note'], tool: 'editor', source };
const roles = [review, { role: 'guest', allowedTools: ['note'], isDefault: true }];
const inputSchema = { type: 'object', properties: { path: { type: 'string' } } };

async function createAudited(audit?: AuditSink) {
  const events: AuditEvent[] = [];
  const registry = createRegistry({ roles, audit: audit ?? ((event) => events.push(event)) });
  const files = createListSource('files', [tool('read_text', { inputSchema }), tool('write_text', { inputSchema })]);
  await registry.attach(files).ready;
  registry.register({ name: 'note', description: 'Takes a note' }, () => 'noted');
  return { registry, files, events, view: registry.view({ role: 'review', principal: 'alice' }) };
}

const who = { role: 'review', principal: 'alice', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) };
const read = { server: 'files', tool: 'read_text', name: 'mcp__files__read_text' };
const write = { server: 'files', tool: 'write_text', name: 'mcp__files__write_text' };

describe('a call', () => {
  test('that is allowed is recorded before it runs and when it has ended', async () => {
    const { view, events, files } = await createAudited();
    await view.call(read.name, { path: '/etc/passwd', secret: 'x' });
    const facts = {
      ...who,
      ...read,
      action: 'call',
      call: 1,
      decision: 'allowed',
      rule: { role: 'review', pattern: 'files.read_*', source },
      argumentShape: { known: { path: 'string(11)' }, others: 1 },
    };
    expect(events).toEqual([
      { ...facts, outcome: 'started' },
      { ...facts, outcome: 'ok', durationMs: expect.any(Number) },
    ]);
    expect(files.calls).toHaveLength(1);
    expect(JSON.stringify(events)).not.toMatch(/passwd|secret/);
  });

  test('of a client with a name is recorded with it, in a bounded length', async () => {
    const { view, events } = await createAudited();
    const clientInfo = { name: 'claude-code', version: '2.1' };
    const handler = { client: {}, capabilities: {}, answer: async () => ({}) };
    const withClient = (name: string) => ({ handler: { ...handler, clientInfo: { ...clientInfo, name } } });
    await view.call(read.name, {}, withClient('claude-code'));
    await view.call(write.name, {}, withClient('x'.repeat(1_000))).catch(() => undefined);
    await view.call(read.name, {}, { handler });
    const clients = events.map((event) => 'client' in event && event.client);
    const cut = `${'x'.repeat(200)}…`;
    expect(clients).toEqual(['claude-code 2.1', 'claude-code 2.1', cut, false, false]);
  });

  test('that is denied and a call of an unknown tool are different decisions with the same response', async () => {
    const { view, events } = await createAudited();
    const failures = await Promise.all(
      [write.name, 'mcp__files__nothing'].map((name) => view.call(name, { path: '' }).catch((error) => error)),
    );
    expect(failures.map(({ code }) => code)).toEqual(['unknown-tool', 'unknown-tool']);
    expect(events).toEqual([
      {
        ...who,
        ...write,
        action: 'call',
        call: 1,
        decision: 'denied',
        rule: { role: 'review', reason: 'not-listed', source },
        argumentShape: { known: { path: 'string(0)' }, others: 0 },
      },
      {
        ...who,
        name: 'mcp__files__nothing',
        action: 'call',
        call: 2,
        decision: 'unknown',
        argumentShape: { known: {}, others: 1 },
      },
    ]);
  });

  test.each([
    ['tool-error', undefined, async () => ({ ...textResult('no'), isError: true })],
    ['failed', 'ECONNRESET', () => Promise.reject(Object.assign(new Error('secret'), { code: 'ECONNRESET' }))],
    ['failed', 'TypeError', () => Promise.reject(Object.assign(new TypeError('secret'), { code: 'a secret text' }))],
    ['failed', 'unknown', () => Promise.reject('secret')],
    ['failed', 'unknown', () => Promise.reject(Object.assign(new Error(), { name: 'the secret is 1234' }))],
  ])('that fails is recorded as %s, %s, without the message', async (outcome, error, run) => {
    const events: AuditEvent[] = [];
    const registry = createRegistry({ audit: (event) => events.push(event) });
    await registry.attach(createListSource('x', [tool('run')], run as never)).ready;
    await registry.call('mcp__x__run').catch(() => undefined);
    expect({ error: undefined, ...events.at(-1) }).toMatchObject({ call: 1, outcome, error });
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  test('that times out, is aborted or finds a closed registry is recorded as such', async () => {
    const events: AuditEvent[] = [];
    const registry = createRegistry({ audit: (event) => events.push(event) });
    registry.register({ name: 'hang', description: '' }, () => new Promise(() => undefined));
    const outcome = () => events.flatMap((event) => ('error' in event ? [event.error] : [])).at(-1);
    await registry.call('hang', {}, { timeoutMs: 1 }).catch(() => undefined);
    expect(outcome()).toBe('timed-out');
    const ended = new AbortController();
    const call = registry.call('hang', {}, { signal: ended.signal });
    ended.abort();
    await call.catch(() => undefined);
    expect(outcome()).toBe('AbortError');
    const last = registry.call('hang');
    await registry.close();
    await last.catch(() => undefined);
    expect(outcome()).toBe('closed');
  });

  test('is recorded with its original arguments', async () => {
    const events: AuditEvent[] = [];
    const registry = createRegistry({ audit: (event) => events.push(event) });
    registry.register({ name: 'grow', description: '', inputSchema: { properties: { list: {} } } }, ({ list }) => {
      (list as number[]).push(1, 2, 3);
    });
    await registry.call('grow', { list: [] });
    const shape = { argumentShape: { known: { list: 'array(0)' }, others: 0 } };
    expect(events).toMatchObject([shape, shape]);
  });
});

describe('reads', () => {
  test('are recorded with the numbers of shown and hidden tools', async () => {
    const { view, events } = await createAudited();
    view.list();
    await view.search({ query: 'my secret plan', limit: 3 });
    view.get(read.name);
    view.get(write.name);
    view.get('nothing');
    const shown = view.list().length;
    expect(events).toMatchObject([
      { ...who, action: 'list', decision: 'allowed', shown, hidden: 1 },
      {
        ...who,
        action: 'search',
        shown,
        hidden: 1,
        argumentShape: { known: { query: 'string(14)', limit: 'number' } },
      },
      { ...who, ...read, action: 'describe', decision: 'allowed', rule: { pattern: 'files.read_*' } },
      { ...who, ...write, action: 'describe', decision: 'denied', rule: { reason: 'not-listed' } },
      { ...who, action: 'describe', decision: 'unknown', name: 'nothing' },
      { action: 'list' },
    ]);
    expect(JSON.stringify(events)).not.toContain('secret plan');
  });

  test('through the search tool are a call and a search', async () => {
    const { view, events } = await createAudited();
    await view.call('search_mcp_tools', { query: 'x' });
    expect(events.map((event) => [event.action, 'outcome' in event ? event.outcome : undefined])).toEqual([
      ['call', 'started'],
      ['search', undefined],
      ['call', 'ok'],
    ]);
  });
});

describe('the actor', () => {
  test('is absent for a view of everything, and only the role for a shared view', async () => {
    const { registry, events } = await createAudited();
    registry.list();
    registry.view({ role: 'review' }).list();
    registry.view({ role: 'nobody knows it' }).list();
    registry.view({ principal: 'bob' }).list();
    expect(events.map(({ role, principal }) => [role, principal])).toEqual([
      [undefined, undefined],
      ['review', undefined],
      ['nobody knows it', undefined],
      ['guest', 'bob'],
    ]);
  });

  test('and requests are cut, so that one call cannot fill a log', async () => {
    const { registry, events } = await createAudited();
    const long = 'x'.repeat(100_000);
    await registry
      .view({ role: long, principal: long })
      .call(long)
      .catch(() => undefined);
    expect(JSON.stringify(events).length).toBeLessThan(1_500);
  });
});

describe('a sink that fails', () => {
  test.each([
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
    ],
    ['rejects', async () => Promise.reject(new Error('disk full'))],
  ])('because it %s changes no response and is reported', async (_how, sink) => {
    const { registry, view } = await createAudited(sink);
    const failures: number[] = [];
    registry.events.on('audit-failed', ({ lost }) => failures.push(lost));
    for (let n = 0; n < 6; n++) expect((await view.call(read.name)).content).toHaveLength(1);
    await expect(view.call(write.name)).rejects.toMatchObject({ code: 'unknown-tool' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(await registry.diagnostics()).toMatchObject([
      {
        code: 'audit-failed',
        lost: 13,
        cause: { message: 'disk full' },
        message: expect.stringContaining('13 events'),
      },
    ]);
    expect(failures).toEqual([1, 10]);
  });

  test('does not fail without end because of a listener to its failures', async () => {
    const { registry } = await createAudited(() => {
      throw new Error('no');
    });
    registry.events.on('audit-failed', () => void registry.get('x'));
    registry.get('x');
    expect(await registry.diagnostics()).toMatchObject([{ lost: 2 }]);
  });

  test('a result and an error with getters that throw still reach the caller', async () => {
    const events: AuditEvent[] = [];
    const trap = () => {
      throw new Error('trap');
    };
    const result = Object.defineProperty(textResult('done'), 'isError', { get: trap });
    const failure = Object.defineProperty(new Error('down'), 'code', { get: trap });
    const run = async (name: string) => (name === 'give' ? result : Promise.reject(failure));
    const registry = createRegistry({ audit: (event) => events.push(event) });
    await registry.attach(createListSource('x', [tool('give'), tool('fail')], run)).ready;
    await expect(registry.call('mcp__x__give')).resolves.toBe(result);
    await expect(registry.call('mcp__x__fail')).rejects.toBe(failure);
    expect(await registry.diagnostics()).toMatchObject([{ code: 'audit-failed', lost: 2 }]);
  });

  test('arguments with getters that throw have no effect', async () => {
    const { view, registry } = await createAudited(() => undefined);
    const args = {
      get path(): string {
        throw new Error('no');
      },
    };
    await view.call(read.name, args).catch(() => undefined);
    expect(await registry.diagnostics()).toMatchObject([{ code: 'audit-failed' }]);
  });
});

test('the sink must be a function', () => {
  expect(() => createRegistry({ audit: {} as never })).toThrow(new TypeError('audit must be a function, got object'));
});

test('a view with a sink of its own sends its events there, too; other views do not', async () => {
  const { registry, events } = await createAudited();
  const own: AuditEvent[] = [];
  const view = registry.view({ role: 'review', audit: (event) => own.push(event) });
  await view.call('note');
  await registry.view({ role: 'review' }).call('note');
  expect(own).toHaveLength(2);
  expect(events.slice(0, 2)).toEqual(own);
  expect(events.map((event) => 'call' in event && event.call)).toEqual([1, 1, 2, 2]);
});

test('a view has a sink without one of the registry, which may throw', async () => {
  const registry = createRegistry();
  registry.register({ name: 'note', description: 'Takes a note' }, () => 'noted');
  const own: AuditEvent[] = [];
  await registry.view({ audit: (event) => own.push(event) }).call('note');
  expect(own).toHaveLength(2);
  const failing = registry.view({
    audit: () => {
      throw new Error('full');
    },
  });
  await failing.call('note');
  expect(await registry.diagnostics()).toMatchObject([{ code: 'audit-failed' }]);
  expect(() => registry.view({ audit: 'a file' as never })).toThrow('audit must be a function');
});
