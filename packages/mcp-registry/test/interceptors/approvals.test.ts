import type { CallHandler, SourceCallOptions, SourceTool, ToolArguments, ToolSource } from '@x/internal/contracts';
import { Emitter } from '@x/internal/events';
import { passingOn } from '@x/internal/views';
import { textOf, textResult, tool } from '@x/test-servers';
import { describe, expect, test } from 'vitest';
import type { AuditEvent } from '../../src/audit/audit-event.js';
import {
  type ApprovalOptions,
  type ApprovalQueueEvents,
  type ApprovalRequest,
  type ApprovalRules,
  type AskApproval,
  approveCalls,
  createApprovalQueue,
  type Interceptor,
} from '../../src/interceptors.js';
import { createRegistry } from '../../src/registry.js';

interface Sent {
  readonly tool: string;
  readonly args: ToolArguments;
  readonly options: SourceCallOptions;
}

interface Opening extends Partial<ApprovalOptions> {
  readonly tools?: readonly SourceTool[];
  readonly after?: readonly Interceptor[];
  readonly answer?: (sent: Sent) => object;
}

const readOnly = { annotations: { readOnlyHint: true } };

async function open({ tools = [tool('write'), tool('drop')], after = [], answer, ...options }: Opening = {}) {
  const events: AuditEvent[] = [];
  const sent: Sent[] = [];
  const asked: ApprovalRequest[] = [];
  let listed = tools;
  const changes = new Emitter<{ changed: object }>();
  const named = (name: string): ToolSource => ({
    name,
    listTools: () => listed,
    onToolsChanged: (listener) => changes.on('changed', listener),
    async callTool(called, args, given) {
      const one = { tool: `${name}.${called}`, args, options: given };
      sent.push(one);
      return (answer?.(one) ?? textResult('done')) as never;
    },
  });
  const yes: AskApproval = (request) => {
    asked.push(request);
    return { decision: 'approve', by: 'ada' };
  };
  const registry = createRegistry({
    roles: [
      { role: 'dev', allowedTools: ['db', 'files'] },
      { role: 'ops', allowedTools: ['db', 'files'] },
    ],
    audit: (event) => void events.push(event),
    interceptors: [approveCalls({ ask: yes, ...options }), ...after],
  });
  const attached = [registry.attach(named('db')), registry.attach(named('files'))];
  for (const { ready } of attached) await ready;
  const relist = (next: readonly SourceTool[]) => {
    listed = next;
    changes.emit('changed', {});
  };
  return { registry, events, sent, asked, relist };
}

const notes = (events: readonly AuditEvent[]) =>
  events.flatMap((event) => ('interceptors' in event ? (event.interceptors ?? []) : [])).map(({ note }) => note);

const refusal = (message: string) => ({ code: 'refused', message: expect.stringContaining(message) });

describe('an approved call', () => {
  test('runs once with the arguments that were shown, and audit says who approved what', async () => {
    const { registry, sent, asked, events } = await open({ rules: { policy: 'rules of May' } });
    const view = registry.view({ role: 'dev', principal: 'eve' });
    expect(textOf(await view.call('mcp__db__write', { b: 1, a: { c: [2] } }))).toBe('done');
    expect(asked).toMatchObject([
      {
        server: 'db',
        tool: 'write',
        name: 'mcp__db__write',
        args: { b: 1, a: { c: [2] } },
        caller: { role: 'dev', principal: 'eve' },
        policy: 'rules of May',
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      },
    ]);
    expect(sent).toMatchObject([{ tool: 'db.write', args: { b: 1, a: { c: [2] } } }]);
    expect(notes(events)).toEqual([`approved by ada: ${asked[0]?.digest}`]);
    expect(events.at(-1)).toMatchObject({ outcome: 'ok' });
  });

  test('has a digest that any other server, tool, argument, definition, caller or policy changes', async () => {
    const digestOf = async (
      call: { name?: string; args?: ToolArguments; view?: { role: string; principal: string }; with?: Opening } = {},
    ) => {
      const { registry, asked } = await open(call.with);
      const view = registry.view(call.view ?? { role: 'dev', principal: 'eve' });
      await view.call(call.name ?? 'mcp__db__write', call.args ?? { a: 1, b: 2 });
      return asked[0]?.digest;
    };
    const changed = [tool('write', { description: 'Another' }), tool('drop')];
    const digests = [
      await digestOf(),
      await digestOf({ name: 'mcp__files__write' }),
      await digestOf({ name: 'mcp__db__drop' }),
      await digestOf({ args: { a: 1, b: 3 } }),
      await digestOf({ view: { role: 'ops', principal: 'eve' } }),
      await digestOf({ view: { role: 'dev', principal: 'mallory' } }),
      await digestOf({ with: { rules: { policy: '2' } } }),
      await digestOf({ with: { rules: { tools: ['*', 'more'] } } }),
      await digestOf({ with: { tools: changed } }),
    ];
    expect(new Set(digests).size).toBe(digests.length);
    expect(await digestOf({ args: { b: 2, a: 1 } })).toBe(digests[0]);
  });

  test('is asked about again each time, also for the same call at the same time', async () => {
    const queue = createApprovalQueue();
    const { registry, sent } = await open({ ask: queue.ask });
    const calls = [1, 2].map(() => registry.call('mcp__db__write', { a: 1 }));
    await waitingIn(queue, 2);
    const [first, second] = queue.pending();
    expect(first?.digest).toBe(second?.digest);
    expect(queue.approve(first?.id ?? '', { by: 'ada' })).toBe(true);
    expect(queue.approve(first?.id ?? '', { by: 'ada' })).toBe(false);
    await calls[0];
    expect(sent).toHaveLength(1);
    expect(queue.deny(second?.id ?? '', { by: 'bob', reason: 'once is enough' })).toBe(true);
    await expect(calls[1]).rejects.toMatchObject(refusal('was denied: once is enough. It was not run'));
    expect(sent).toHaveLength(1);
  });

  test('has the arguments of the question if the caller changes its object meanwhile', async () => {
    const queue = createApprovalQueue();
    const { registry, sent } = await open({ ask: queue.ask });
    const args = { path: 'a', list: [1] };
    const call = registry.call('mcp__db__write', args);
    const [request] = await waitingIn(queue, 1);
    args.path = 'b';
    args.list.push(2);
    queue.approve(request?.id ?? '', { by: 'ada' });
    await call;
    expect(sent).toMatchObject([{ args: { path: 'a', list: [1] } }]);
  });

  test('is refused if a later interceptor changes its arguments', async () => {
    const replacing: Interceptor = { name: 'x', call: ({ args }, next) => next({ args: { ...args, force: true } }) };
    const { registry, sent } = await open({ after: [replacing] });
    await expect(registry.call('mcp__db__write', { a: 1 })).rejects.toMatchObject(
      refusal(
        'The arguments of mcp__db__write changed after the interceptor "approve-calls"; put that interceptor last',
      ),
    );
    const same: Interceptor = { name: 'x', call: ({ args }, next) => next({ args: { ...args } }) };
    const unchanged = await open({ after: [same] });
    await unchanged.registry.call('mcp__db__write', { a: 1 });
    expect([sent, unchanged.sent.length]).toEqual([[], 1]);
  });

  test.each([
    ['definition', [tool('write', { description: 'Now for payments' })], refusal('The tool mcp__db__write changed')],
    [
      'schema',
      [tool('write', { inputSchema: { type: 'object', properties: { a: {} } } })],
      refusal('The tool mcp__db__write changed'),
    ],
    ['annotations', [tool('write', readOnly)], refusal('The tool mcp__db__write changed')],
    ['absence', [tool('other')], { code: 'unknown-tool' }],
  ])('is refused after a change of its %s', async (_, next, expected) => {
    const queue = createApprovalQueue();
    const { registry, sent, relist } = await open({ ask: queue.ask });
    const call = registry.call('mcp__db__write');
    const [request] = await waitingIn(queue, 1);
    const changed = new Promise((resolve) => registry.events.on('tools-changed', resolve));
    relist(next);
    await changed;
    queue.approve(request?.id ?? '', { by: 'ada' });
    await expect(call).rejects.toMatchObject(expected);
    expect(sent).toEqual([]);
  });

  test('is refused if the role loses the tool, or the rules change, while it waits', async () => {
    const queue = createApprovalQueue();
    let rules: ApprovalRules = { policy: '1' };
    const { registry, sent } = await open({ ask: queue.ask, rules: () => rules });
    const call = registry.view({ role: 'dev' }).call('mcp__db__write');
    const [request] = await waitingIn(queue, 1);
    registry.update({ roles: [{ role: 'dev', allowedTools: ['files'] }] });
    queue.approve(request?.id ?? '', { by: 'ada' });
    await expect(call).rejects.toMatchObject({ code: 'unknown-tool' });

    const second = registry.call('mcp__db__write');
    const [other] = await waitingIn(queue, 1);
    rules = { policy: '2' };
    queue.approve(other?.id ?? '', { by: 'ada' });
    await expect(second).rejects.toMatchObject(refusal('rules that have changed since'));
    expect(sent).toEqual([]);
  });

  test('continues without a second question only where its server asked for input', async () => {
    let states: unknown[] = ['s1', 's2', undefined];
    const { registry, asked, sent, events } = await open({
      answer: () =>
        states.length > 0 ? { resultType: 'input_required', requestState: states.shift() } : textResult('done'),
    });
    const view = registry.view({ role: 'dev', principal: 'eve' });
    const leg = (params?: object, args: ToolArguments = { a: 1 }, from = view, name = 'mcp__db__write') =>
      from.call(name, args, passingOn({ inputRequired: 'return', ...(params && { params: { ...params } }) }));
    const none = refusal('continues none that was approved');
    const s1 = { requestState: 's1', inputResponses: {} };

    await expect(leg(s1)).rejects.toMatchObject(none);
    expect(await leg()).toMatchObject({ requestState: 's1' });
    await expect(leg(s1, { a: 2 })).rejects.toMatchObject(none);
    await expect(leg(s1, { a: 1 }, view, 'mcp__db__drop')).rejects.toMatchObject(none);
    await expect(leg(s1, { a: 1 }, view, 'mcp__files__write')).rejects.toMatchObject(none);
    await expect(leg(s1, { a: 1 }, registry.view({ role: 'dev', principal: 'bob' }))).rejects.toMatchObject(none);
    await expect(leg({ ...s1, requestState: 's2' })).rejects.toMatchObject(none);
    await expect(leg({ inputResponses: {} })).rejects.toMatchObject(none);
    expect(await leg(s1)).toMatchObject({ requestState: 's2' });
    await expect(leg(s1)).rejects.toMatchObject(none);
    expect(await leg({ requestState: 's2' })).toMatchObject({ resultType: 'input_required' });
    expect(textOf(await leg({ inputResponses: {} }))).toBe('done');
    await expect(leg({ inputResponses: {} })).rejects.toMatchObject(none);
    expect([asked.length, sent.length]).toEqual([1, 4]);
    expect(notes(events).filter((note) => note === 'continues an approved call')).toHaveLength(3);
    states = [];
  });
});

describe('a call without approval', () => {
  test('is refused after the time limit, and its question is withdrawn', async () => {
    const queue = createApprovalQueue();
    const settled: ApprovalQueueEvents['approval-settled'][] = [];
    queue.events.on('approval-settled', (event) => settled.push(event));
    const { registry, sent, events } = await open({ ask: queue.ask, timeoutMs: 20 });
    await expect(registry.call('mcp__db__write')).rejects.toMatchObject(
      refusal('mcp__db__write was not approved within 20 milliseconds; call again to ask again. It was not run'),
    );
    expect(settled).toMatchObject([{ outcome: 'withdrawn' }]);
    expect(queue.pending()).toEqual([]);
    expect(queue.approve(settled[0]?.request.id ?? '', { by: 'ada' })).toBe(false);
    expect(sent).toEqual([]);
    expect(notes(events)).toContain(`no answer to ${settled[0]?.request.id} in time`);
  });

  test('that is cancelled withdraws its question', async () => {
    const queue = createApprovalQueue();
    const { registry, sent } = await open({ ask: queue.ask });
    const controller = new AbortController();
    const call = registry.call('mcp__db__write', {}, { signal: controller.signal });
    const [request] = await waitingIn(queue, 1);
    controller.abort(new Error('changed my mind'));
    await expect(call).rejects.toThrow('changed my mind');
    expect(queue.approve(request?.id ?? '', { by: 'ada' })).toBe(false);
    expect(sent).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['true', true],
    ['"approve"', 'approve'],
    ['another word', { decision: 'approved' }],
    ['no decision', {}],
    ['a number as name', { decision: 'approve', by: 3 }],
  ])('is refused if ask() returns %s', async (_, answer) => {
    const { registry, sent } = await open({ ask: () => answer as never });
    await expect(registry.call('mcp__db__write')).rejects.toMatchObject(refusal('asking for it failed'));
    expect(sent).toEqual([]);
  });

  test('is refused if ask() throws, without its reason', async () => {
    const { registry, sent } = await open({ ask: () => Promise.reject(new Error('the secret')) });
    const error = await registry.call('mcp__db__write').catch((failure: Error) => failure);
    expect(error).toMatchObject({ code: 'refused', message: expect.not.stringContaining('secret') });
    expect(sent).toEqual([]);
  });

  test('is refused while too many of its caller wait, which does not hinder others', async () => {
    const queue = createApprovalQueue();
    const { registry } = await open({ ask: queue.ask });
    const eve = registry.view({ role: 'dev', principal: 'eve' });
    const waiting = Array.from({ length: 16 }, () => eve.call('mcp__db__write'));
    await waitingIn(queue, 16);
    await expect(eve.call('mcp__db__write')).rejects.toMatchObject(refusal('too many calls wait'));
    waiting.push(registry.view({ role: 'dev', principal: 'ada' }).call('mcp__db__write'));
    await waitingIn(queue, 17);
    for (const { id } of queue.pending()) queue.deny(id, { by: 'ada' });
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(Array(17).fill('rejected'));
  });
});

describe('rules', () => {
  const tools = [
    tool('read', readOnly),
    tool('liar', { annotations: { readOnlyHint: true, destructiveHint: true } }),
    tool('drop'),
  ];

  test.each<[string, ApprovalRules | undefined, readonly string[]]>([
    ['default', undefined, ['db.read', 'db.liar', 'db.drop', 'files.read', 'files.liar', 'files.drop']],
    ['a trusted server', { trustReadOnly: ['db'] }, ['db.liar', 'db.drop', 'files.read', 'files.liar', 'files.drop']],
    ['trusted servers', { trustReadOnly: ['*'] }, ['db.liar', 'db.drop', 'files.liar', 'files.drop']],
    ['an own name', { tools: ['drop'] }, ['db.drop', 'files.drop']],
    ['a pattern', { tools: ['db.*'] }, ['db.read', 'db.liar', 'db.drop']],
    ['exceptions', { except: ['db', 'files.r*', 'drop'] }, ['files.liar', 'files.drop']],
  ])('%s', async (_, rules, expected) => {
    const { registry, asked } = await open({ tools, rules });
    for (const { name, server } of registry.list()) if (server !== undefined) await registry.call(name);
    expect(asked.map((each) => `${each.server}.${each.tool}`).toSorted()).toEqual([...expected].toSorted());
  });

  test('hold for tools of the app, but not for the search', async () => {
    const { registry, asked } = await open();
    registry.register({ name: 'hello', description: 'Greets' }, () => 'hello');
    await registry.call('search_mcp_tools', { query: 'write' });
    await registry.call('hello');
    expect(asked).toMatchObject([{ server: undefined, tool: 'hello' }]);
    expect(asked).toHaveLength(1);
  });

  test.each<[unknown, string]>([
    [{}, 'ask must be a function, "elicitation" or a list of these'],
    [{ ask: 'elicit' }, 'ask must be a function, "elicitation" or a list of these'],
    [{ ask: [] }, 'ask must be a function, "elicitation" or a list of these'],
    [{ ask: 'elicitation', timeoutMs: 0 }, 'timeoutMs must be a whole number of milliseconds from 1'],
    [{ ask: 'elicitation', rules: { tool: ['x'] } }, 'rules.tool is not an option; did you mean rules.tools?'],
    [{ ask: 'elicitation', rules: { except: 'x' } }, 'rules.except must be a list of texts'],
    [{ ask: 'elicitation', rule: {} }, 'rule is not an option; did you mean rules?'],
  ])('%j are refused', (options, message) => {
    expect(() => approveCalls(options as never)).toThrow(message);
  });
});

describe('asking by elicitation', () => {
  const clientWith = (answer: CallHandler['answer'], elicitation: object | null = {}): CallHandler => ({
    client: {},
    capabilities: elicitation === null ? {} : { elicitation },
    answer,
  });

  test.each<[object, boolean]>([
    [{ action: 'accept', content: { decision: 'approve' } }, true],
    [{ action: 'accept', content: { decision: 'deny' } }, false],
    [{ action: 'accept', content: {} }, false],
    [{ action: 'accept' }, false],
    [{ action: 'decline', content: { decision: 'approve' } }, false],
    [{ action: 'cancel' }, false],
  ])('%j approves: %s', async (answer, isApproved) => {
    const { registry, sent } = await open({ ask: 'elicitation' });
    const call = registry.call('mcp__db__write', {}, { handler: clientWith(async () => ({ ...answer })) });
    if (isApproved) await call;
    else await expect(call).rejects.toMatchObject(refusal('was denied'));
    expect(sent).toHaveLength(isApproved ? 1 : 0);
  });

  test('refuses if the client cannot ask, and says what would work', async () => {
    const { registry, sent } = await open({ ask: 'elicitation' });
    const never = async () => expect.unreachable();
    const message = 'there is no way to ask for it; use a client that supports elicitation';
    for (const handler of [undefined, clientWith(never, null), clientWith(never, { url: {} })]) {
      await expect(registry.call('mcp__db__write', {}, { handler })).rejects.toMatchObject(refusal(message));
    }
    expect(sent).toEqual([]);
  });

  test('refuses a call that cannot be shown whole, unless another way decides', async () => {
    const handler = clientWith(async () => expect.unreachable());
    const args = { note: 'x'.repeat(4_100) };
    const only = await open({ ask: 'elicitation' });
    await expect(only.registry.call('mcp__db__write', args, { handler })).rejects.toMatchObject(
      refusal('is too long to be shown whole to a person; shorten its arguments, or let its operator add a queue'),
    );
    expect(only.sent).toEqual([]);
    const asked: ApprovalRequest[] = [];
    const decide: AskApproval = (request) => {
      asked.push(request);
      return { decision: 'approve' };
    };
    const both = await open({ ask: ['elicitation', decide] });
    await both.registry.call('mcp__db__write', args, { handler });
    expect(asked).toMatchObject([{ args, isWhole: false }]);
  });

  test('falls back to the next way if the client cannot ask', async () => {
    const queue = createApprovalQueue();
    const { registry } = await open({ ask: ['elicitation', queue.ask] });
    const call = registry.call('mcp__db__write');
    const [request] = await waitingIn(queue, 1);
    queue.approve(request?.id ?? '', { by: 'ada' });
    await call;
  });
});

describe('the text of a question', () => {
  test('shows server, tool, caller and arguments, each in its own line', async () => {
    const { registry, asked } = await open();
    await registry.view({ role: 'dev', principal: 'eve' }).call('mcp__db__write', { path: '/a', n: { x: [1] } });
    expect(asked[0]?.text.split('\n').slice(0, 7)).toEqual([
      'Allow this tool call, once?',
      'Server: "db"',
      'Tool: "write"',
      'Caller: role "dev", principal "eve"',
      'Arguments: 2',
      '  "path": "/a"',
      '  "n": {"x":[1]}',
    ]);
  });

  test('escapes what hides, moves or imitates, and keeps other scripts', async () => {
    const { registry, asked } = await open({ tools: [tool('wrіte')] });
    const name = registry.list().find(({ tool }) => tool === 'wrіte')?.name ?? '';
    await registry.call(name, {
      host: 'pаypal.com',
      line: 'a\nServer: "db"',
      hidden: 'a\u200b\u202eb\u001b[2J',
      text: 'Привет, мир: naïve 你好',
      'k\u0000': 1,
    });
    const text = asked[0]?.text ?? '';
    expect(text).toContain('Tool: "wr\\u0456te"');
    expect(text).toContain('"host": "p\\u0430ypal.com"');
    expect(text).toContain('"line": "a\\nServer: \\"db\\""');
    expect(text).toContain('"hidden": "a\\u200b\\u202eb\\u001b[2J"');
    expect(text).toContain('"text": "Привет, мир: naïve 你好"');
    expect(text).toContain('"k\\u0000": 1');
  });

  test('is bounded, and says what is missing', async () => {
    const { registry, asked } = await open();
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key${index}`, 'x'.repeat(900)]));
    await registry.call('mcp__db__write', { long: 'y'.repeat(100_000), ...many });
    const text = asked[0]?.text ?? '';
    expect(text.length).toBeLessThan(6_000);
    expect(text).toContain('Arguments: 101');
    expect(text).toContain('(99002 more characters are not shown)');
    expect(text).toMatch(/\(9\d more arguments are not shown\)/);
    expect(asked[0]?.isWhole).toBe(false);
    expect(JSON.stringify(asked[0]?.args).length).toBeGreaterThan(190_000);
  });

  const command = tool('run', {
    inputSchema: { type: 'object', properties: { note: {}, dir: {}, cmd: {} }, required: ['cmd'] },
  });
  const padding = (length: number) =>
    Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`junk${index}`, 'x'.repeat(length)]));

  test('shows required arguments first, then others of the schema, however many others there are', async () => {
    const { registry, asked } = await open({ tools: [command] });
    await registry.call('mcp__db__run', { ...padding(500), dir: '/', cmd: 'rm -rf /' });
    expect(asked[0]?.text).toContain('Arguments: 102\n  "cmd": "rm -rf /"\n  "dir": "/"\n  "junk0"');
    await registry.call('mcp__db__run', { ...padding(10), cmd: 'ls', last: 'shown' });
    expect(asked[1]).toMatchObject({ text: expect.stringContaining('"junk99": "xxxxxxxxxx"'), isWhole: true });
    expect(asked[1]?.text).toContain('"last": "shown"');
  });

  test('shows both ends of a long value', async () => {
    const { registry, asked } = await open({ tools: [command] });
    await registry.call('mcp__db__run', { cmd: 'ls', note: { first: 'benign', ...padding(100), cmd: 'rm -rf /' } });
    expect(asked[0]?.text).toMatch(
      /"note": \{"first":"benign".*more characters are not shown\).*"cmd":"rm -rf \/"\}\n/,
    );
    expect(asked[0]?.isWhole).toBe(false);
  });
});

/** The waiting requests, once there are that many. */
function waitingIn(queue: ReturnType<typeof createApprovalQueue>, count: number): Promise<readonly ApprovalRequest[]> {
  return new Promise((resolve) => {
    const check = () => queue.pending().length >= count && resolve(queue.pending());
    queue.events.on('approval-requested', check);
    check();
  });
}
