import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { openStdioSession } from '../../../src/session/open-stdio-session.js';
import type { OutgoingRequest, Session, SessionCallOptions, ToolCallResult } from '../../../src/session/session.js';
import { StdioChannel } from '../../../src/transport/stdio-channel.js';
import { failureOf, textOf, warningsDuring } from '../../helpers/servers.js';

type CallOptions = Partial<SessionCallOptions>;
type Call = (session: Session, tool: string, args?: object, options?: CallOptions) => Promise<ToolCallResult>;

/** The two ways to make a call. Their outcomes must be the same. */
const ways: Readonly<Record<string, Call>> = {
  callbacks: (session, tool, args = {}, { signal, onProgress, meta } = {}) =>
    new Promise((resolve, reject) => {
      const handle = session.send({
        ...callOf(tool, args),
        meta,
        wantsProgress: onProgress !== undefined,
        onProgress: (progress) => onProgress?.(progress),
        onResult: (result) => resolve(result as ToolCallResult & typeof result),
        onFailure: reject,
      });
      signal?.addEventListener('abort', () => {
        handle.cancel(signal.reason);
        reject(signal.reason);
      });
    }),
  'a promise': (session, tool, args = {}, options = {}) =>
    session.callTool(tool, args as Record<string, unknown>, { signal: new AbortController().signal, ...options }),
};

function callOf(tool: string, args: object): Omit<OutgoingRequest, `on${string}`> {
  const params = { name: tool, arguments: args };
  const nothing = { meta: undefined, inputRequired: undefined, handler: undefined };
  return { method: 'tools/call', params, what: `the call of "${tool}"`, wantsProgress: false, ...nothing };
}

interface Opened extends AsyncDisposable {
  readonly session: Session;
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly callsInFlight: readonly number[];
}

async function opened({ command, args }: { command: string; args: readonly string[] }): Promise<Opened> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => undefined); // a server that dies while it is written to
  const callsInFlight: number[] = [];
  const session = await openStdioSession(
    new StdioChannel({ stdin: child.stdin, stdout: child.stdout, maxMessageBytes: 1_000_000 }),
    {
      server: 'tested',
      protocol: 'auto',
      clientInfo: { name: 'test', version: '1' },
      signal: new AbortController().signal,
      listeners: {
        onListChanged: () => undefined,
        onResourceUpdated: () => undefined,
        onElicitationCompleted: () => undefined,
        onLog: () => undefined,
        onCallsInFlight: (count) => callsInFlight.push(count),
      },
      handlers: {},
      validateOutput: true,
      onJunk: () => undefined,
    },
  );
  const close = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { session, child, callsInFlight, [Symbol.asyncDispose]: close };
}

function scripted(script: object): { command: string; args: string[] } {
  const path = fileURLToPath(new URL('../../fixtures/scripted.mjs', import.meta.url));
  return { command: process.execPath, args: [path, JSON.stringify(script)] };
}

afterEach(expectNoLeaks);

describe.each(Object.entries(ways))('a call whose caller gets %s', (_, call) => {
  test('returns the result unchanged, with unknown keys', async () => {
    const result = {
      content: [
        { type: 'text', text: 'a', annotations: { audience: ['user'] }, extra: 1 },
        { type: 'resource', resource: { uri: 'file:///a', text: 'b' } },
        { type: 'hologram', rays: [1, 2] },
      ],
      structuredContent: { deep: [{ er: null }] },
      isError: true,
      _meta: { 'example.com/key': 'value' },
      other: 'kept',
    };
    await using server = await opened(scripted({ call: result }));
    expect(await call(server.session, 'act')).toEqual(result);
  });

  test('leaves out optional fields of a wrong type', async () => {
    const link = { type: 'resource_link', uri: 'a:b', name: 'b' };
    const sent = [
      { type: 'text', text: 'a', annotations: null, _meta: 'x', extra: 1 },
      { ...link, size: '12', title: 'B' },
      { type: 'resource', resource: { uri: 'a:b', text: 7, blob: 'AAAA' } },
    ];
    await using server = await opened(scripted({ call: { content: sent } }));
    expect(await call(server.session, 'act')).toEqual({
      content: [
        { type: 'text', text: 'a', extra: 1 },
        { ...link, title: 'B' },
        { type: 'resource', resource: { uri: 'a:b', blob: 'AAAA' } },
      ],
    });
  });

  test('treats a result without content as empty', async () => {
    await using server = await opened(scripted({ call: { structuredContent: { a: 1 } } }));
    expect(await call(server.session, 'act')).toEqual({ content: [], structuredContent: { a: 1 } });
  });

  test.each([
    [[]],
    ['text'],
    [5],
    [{ content: 'text' }],
    [{ content: [null] }],
    [{ content: [{ text: 'no type' }] }],
    [{ content: [{ type: 'text' }] }],
    [{ content: [{ type: 'resource', resource: {} }] }],
    [{ content: [], isError: 'yes' }],
  ])('fails at once for an invalid result: %j', async (result) => {
    await using server = await opened(scripted({ call: result }));
    expect(await failureOf(call(server.session, 'act'))).toMatchObject({ name: 'ManagerError', code: 'server-error' });
    expect(server.session.isOpen).toBe(true);
  });

  test('fails with the unchanged error of the server', async () => {
    const error = { code: -32_000, message: 'not today', data: { until: 'tomorrow' } };
    await using server = await opened(scripted({ call: { error } }));
    expect(await failureOf(call(server.session, 'act'))).toMatchObject({
      code: 'server-error',
      server: 'tested',
      rpc: error,
      message: 'Server "tested" answered the call of "act" with an error: not today (-32000)',
    });
  });

  test('checks structured content against the listed schema', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const tools = { tools: [{ name: 'act', inputSchema: { type: 'object' }, outputSchema }] };
    await using server = await opened(scripted({ tools, call: { content: [], structuredContent: { n: 'one' } } }));
    await server.session.listTools({ signal: new AbortController().signal });
    expect(await failureOf(call(server.session, 'act'))).toMatchObject({ code: 'invalid-result' });
  });

  test('fails, and no other call does, if its result is too large', async () => {
    await using server = await opened(testServer('huge-result'));
    const big = failureOf(call(server.session, 'big', { bytes: 2_000_000 }));
    const small = call(server.session, 'echo', { text: 'small' });
    expect(await big).toMatchObject({ code: 'result-too-large' });
    expect(textOf(await small)).toBe('small');
  });

  test('reports all progress in order and before the result', async () => {
    await using server = await opened(testServer('slow'));
    const seen: unknown[] = [];
    const onProgress = (progress: unknown): void => void seen.push(progress);
    await call(server.session, 'wait', { ms: 20, steps: 4 }, { onProgress });
    expect(seen).toEqual([1, 2, 3, 4].map((progress) => ({ progress, total: 4 })));
  });

  test('sends its _meta, in which the own progress token takes precedence', async () => {
    await using server = await opened(testServer('slow'));
    const seen: unknown[] = [];
    const meta = { progressToken: 'mine', traceparent: '00-1-2-01' };
    await call(server.session, 'wait', { ms: 1 }, { meta, onProgress: (progress) => seen.push(progress) });
    expect(seen).toHaveLength(1);
  });

  test('is cancelled at the server when it aborts, and no other is', async () => {
    await using server = await opened(testServer('slow'));
    const end = new AbortController();
    const reason = new Error('enough');
    const neighbour = call(server.session, 'wait', { ms: 100 });
    const onProgress = (): void => end.abort(reason);
    const given = call(server.session, 'wait', { ms: 60_000, steps: 60_000 }, { signal: end.signal, onProgress });
    expect(await failureOf(given)).toBe(reason);
    expect(textOf(await neighbour)).toBe('waited 100 ms');
    expect(JSON.parse(textOf(await call(server.session, 'cancelled')))).toHaveLength(1);
    expect(server.session.callsInFlight).toBe(0);
  });

  test('fails as sent when the server dies of it', async () => {
    await using server = await opened(testServer('dies-mid-call'));
    expect(await failureOf(call(server.session, 'die', { code: 7 }))).toMatchObject({
      name: 'SessionLostError',
      sent: true,
    });
  });

  test('fails as not sent on a closed connection', async () => {
    await using server = await opened(testServer('echo'));
    await server.session.close();
    expect(await failureOf(call(server.session, 'echo'))).toMatchObject({ name: 'SessionLostError', sent: false });
  });

  test('refuses arguments that cannot be written, and accepts the next', async () => {
    await using server = await opened(testServer('echo'));
    const circular: Record<string, unknown> = {};
    circular.itself = circular;
    expect(await failureOf(call(server.session, 'echo', circular))).toBeInstanceOf(TypeError);
    expect(await failureOf(call(server.session, 'echo', { text: 1n }))).toBeInstanceOf(TypeError);
    expect(textOf(await call(server.session, 'echo', { text: 'fine' }))).toBe('fine');
    expect(server.session.callsInFlight).toBe(0);
  });

  test('counts as in progress from sending to its result', async () => {
    await using server = await opened(testServer('echo'));
    const before = server.callsInFlight.length;
    await Promise.all([call(server.session, 'echo', { text: 'a' }), call(server.session, 'echo', { text: 'b' })]);
    const counts = server.callsInFlight.slice(before);
    expect(Math.max(...counts)).toBe(2);
    expect(counts.slice(-2)).toEqual([1, 0]);
  });
});

test('concurrent calls of both kinds get their own results', async () => {
  await using server = await opened(testServer('echo'));
  const calls = Array.from({ length: 200 }, async (_, number) => {
    const call = Object.values(ways)[number % 2] as Call;
    return textOf(await call(server.session, 'echo', { text: `text ${number}` }));
  });
  expect(await Promise.all(calls)).toEqual(Array.from({ length: 200 }, (_, number) => `text ${number}`));
});

test('joins the calls of one tick into one write, also for the modern revision', async () => {
  await using server = await opened(testServer('modern-only'));
  expect(server.session.facts.era).toBe('modern');
  const before = server.callsInFlight.length;
  const call = ways.callbacks as Call;
  await Promise.all(['a', 'b', 'c'].map((text) => call(server.session, 'echo', { text })));
  expect(server.callsInFlight.slice(before)).toEqual([3, 2, 1, 0]);
});

test('does not send a call that aborts before it is written', async () => {
  await using server = await opened(testServer('slow'));
  const end = new AbortController();
  const call = ways.callbacks as Call;
  const given = failureOf(call(server.session, 'wait', { ms: 60_000 }, { signal: end.signal }));
  end.abort(new Error('at once'));
  await given;
  expect(JSON.parse(textOf(await call(server.session, 'cancelled')))).toEqual([]);
});

test('a call that is unwritten at the end of the connection was not sent', async () => {
  await using server = await opened(testServer('echo'));
  const given = failureOf((ways.callbacks as Call)(server.session, 'echo'));
  await server.session.close();
  expect(await given).toMatchObject({ name: 'SessionLostError', sent: false });
});

test('calls wait unsent while the server does not read', async () => {
  await using server = await opened(testServer('slow'));
  const call = ways.callbacks as Call;
  const busy = call(server.session, 'busy', { ms: 600 });
  const handles: { readonly isSent: boolean }[] = [];
  const text = 'x'.repeat(100_000);
  const answers = Array.from({ length: 100 }, async () => {
    const result = await new Promise((onResult, onFailure) => {
      const outgoing = { ...callOf('echo', { text }), onProgress: () => undefined, onResult, onFailure };
      handles.push(server.session.send(outgoing));
    });
    return textOf(result as ToolCallResult).length;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(handles.filter(({ isSent }) => isSent).length).toBeLessThan(20);
  await busy;
  expect(new Set(await Promise.all(answers))).toEqual(new Set([100_000]));
});

test('joins the calls of one turn into one write while the server is busy', async () => {
  await using server = await opened(testServer('slow'));
  const call = ways.callbacks as Call;
  const ticks = async (): Promise<void> => {
    for (let tick = 0; tick < 3; tick++) await new Promise<void>((resolve) => process.nextTick(resolve));
  };
  const before = server.callsInFlight.length;
  const calls = [call(server.session, 'wait', { ms: 50 })];
  await ticks();
  expect(server.callsInFlight.slice(before), 'a call that has the server for itself goes out at once').toEqual([1]);
  calls.push(call(server.session, 'wait', { ms: 50 }));
  await ticks();
  calls.push(call(server.session, 'wait', { ms: 50 }));
  await Promise.all(calls);
  expect(server.callsInFlight.slice(before)).toEqual([1, 3, 2, 1, 0]);
});

test('ignores unknown progress tokens and response ids', async () => {
  const ids = [1_500_000_777, 1_999_999_999, 2_147_483_647];
  const noise = ids.flatMap((id) => [
    { jsonrpc: '2.0', id, result: { content: [] } },
    { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: id, progress: 1 } },
  ]);
  const warnings = await warningsDuring(async () => {
    await using server = await opened(scripted({ noise }));
    expect(textOf(await (ways.callbacks as Call)(server.session, 'act'))).toBe('acted');
  });
  expect(warnings).toEqual([]);
});
