import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ManagerError } from '../../src/errors.js';
import { RequestRouter, type RoutedServer } from '../../src/routing/request-router.js';
import {
  type OutgoingRequest,
  type ServerTool,
  type Session,
  SessionLostError,
  type ToolCallResult,
} from '../../src/session/session.js';
import { failureOf } from '../helpers/failure-of.js';

const result = { content: [] } satisfies ToolCallResult;
const lost = (sent: boolean): SessionLostError => new SessionLostError('gone', { sent });

interface SentCall {
  readonly call: OutgoingRequest;
  readonly session: Session;
  /** Reason of the cancellation. */
  cancelledWith?: unknown;
}

/** A server without a process: its calls are answered by the test. */
class ScriptedServer implements RoutedServer {
  readonly server = {
    name: 'scripted',
    limits: { maxConcurrentCalls: 2, maxQueuedCalls: 3, queueTimeoutMs: 30_000 },
    trusted: true,
  };
  readonly sent: SentCall[] = [];
  tools: readonly ServerTool[] = [];
  began = 0;
  ended = 0;
  readonly whyNotReady = undefined;
  /** How sessions end. */
  loss = new ManagerError('connection-lost', 'Server "scripted" exited (code 1)');
  readySession: Session | undefined = this.connect();

  connect(): Session {
    const session = {
      isOpen: true,
      lastByteAt: performance.now() - 1,
      send: (call: OutgoingRequest) => {
        const sent: SentCall = { call, session };
        this.sent.push(sent);
        const cancel = (reason: unknown): void => {
          sent.cancelledWith = reason;
        };
        return { isSent: true, cancel };
      },
    } as Session;
    this.readySession = session;
    return session;
  }

  readySessionFor = (): Session | undefined => this.readySession;
  acquireSessionFor = async (): Promise<Session> => this.readySession ?? this.connect();
  lossOf = async (): Promise<ManagerError> => this.loss;
  stderrTail = (): readonly string[] => [];
  callBegan = (): void => {
    this.began += 1;
  };
  callEnded = (): void => {
    this.ended += 1;
  };
  /** When the requests were sent that hit their limits in silence. */
  readonly unansweredSince: number[] = [];
  unanswered = (_: Session, sentAtMs: number): void => void this.unansweredSince.push(sentAtMs);

  get last(): SentCall {
    return this.sent.at(-1) as SentCall;
  }
}

let server: ScriptedServer;
let router: RequestRouter;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  server = new ScriptedServer();
  router = new RequestRouter({ supervisor: server, callTimeoutMs: 60_000 });
});

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  expect(server.ended).toBe(server.began);
  vi.useRealTimers();
});

/** A call on a connection over HTTP: it fails, and the connection stays. */
async function failedCall(): Promise<unknown> {
  const call = failureOf(router.call('act', {}));
  server.last.call.onFailure(lost(true));
  return call;
}

test('five failures of the connection in a row refuse calls until a later one was answered', async () => {
  for (let call = 0; call < 5; call += 1) expect(await failedCall()).toMatchObject({ code: 'outcome-unknown' });
  expect(await failureOf(router.call('act', {}))).toMatchObject({
    code: 'busy',
    retryable: true,
    retryAfterMs: 30_000,
    message:
      'The call of "act" was not sent: the connection to server "scripted" failed during the last calls. Retry in 30 s.',
  });
  expect(server.sent).toHaveLength(5);

  vi.advanceTimersByTime(30_000);
  const probe = router.call('act', {});
  expect(await failureOf(router.call('act', {}))).toMatchObject({ code: 'busy', retryAfterMs: 1_000 });
  server.last.call.onResult(result);
  expect(await probe).toBe(result);
  const next = router.call('act', {});
  server.last.call.onResult(result);
  await next;
});

test('an error of the server is an answer', async () => {
  for (let call = 0; call < 20; call += 1) {
    const failed = failureOf(router.call('act', {}));
    server.last.call.onFailure(new ManagerError('server-error', 'no'));
    expect(await failed).toMatchObject({ code: 'server-error' });
  }
});

test('one lost connection counts once, however many calls were in it', async () => {
  for (let round = 0; round < 2; round += 1) {
    const calls = [router.call('act', {}), router.call('act', {})].map(failureOf);
    const session = server.readySession as Session;
    server.readySession = undefined;
    Object.assign(session, { isOpen: false });
    for (const { call } of server.sent.slice(-2)) call.onFailure(lost(true));
    await Promise.all(calls);
    server.connect();
  }
  for (let call = 0; call < 2; call += 1) await failedCall();
  const fifth = router.call('act', {});
  server.last.call.onResult(result);
  expect(await fifth).toBe(result);
});

test('a new connection is tried at once', async () => {
  for (let call = 0; call < 5; call += 1) await failedCall();
  server.connect();
  const call = router.call('act', {});
  server.last.call.onResult(result);
  expect(await call).toBe(result);
});

test('a probe that is cancelled lets the next call try', async () => {
  for (let call = 0; call < 5; call += 1) await failedCall();
  vi.advanceTimersByTime(30_000);
  const end = new AbortController();
  const probe = failureOf(router.call('act', {}, { signal: end.signal }));
  end.abort(new Error('no'));
  await probe;
  const next = router.call('act', {});
  server.last.call.onResult(result);
  expect(await next).toBe(result);
});

test('a call that is stopped on purpose says nothing of the connection', async () => {
  server.loss = new ManagerError('server-stopping', 'Server "scripted" was stopped');
  for (let round = 0; round < 9; round += 1) {
    const call = failureOf(router.call('act', {}));
    const session = server.readySession as Session;
    Object.assign(session, { isOpen: false });
    server.connect();
    server.sent.at(-1)?.call.onFailure(lost(true));
    expect(await call).toMatchObject({ code: 'outcome-unknown', retryable: false, cause: { code: 'server-stopping' } });
  }
});

test('a call that was sent and lost to a stop may be made again if that is safe, and is not by itself', async () => {
  server.loss = new ManagerError('server-stopping', 'Server "scripted" was stopped');
  server.tools = [{ name: 'act', inputSchema: {}, annotations: { readOnlyHint: true } }];
  const call = failureOf(router.call('act', {}, { repeat: 'if-safe' }));
  Object.assign(server.last.session, { isOpen: false });
  server.last.call.onFailure(lost(true));
  expect(await call).toMatchObject({ code: 'server-stopping', retryable: true });
  expect(server.sent).toHaveLength(1);
});

test('the queue timeout limits only queued calls', async () => {
  const running = [1, 2].map(() => router.call('act', {}, { timeoutMs: 600_000 }));
  const late = failureOf(router.call('act', {}));
  vi.advanceTimersByTime(29_999);
  const next = router.call('act', {});
  vi.advanceTimersByTime(1);
  expect(await late).toMatchObject({ code: 'busy', retryable: true, message: expect.stringContaining('for 30000 ms') });
  expect(server.sent).toHaveLength(2);
  vi.advanceTimersByTime(29_998);
  server.last.call.onResult(result);
  expect(server.sent).toHaveLength(3); // in the last moment
  vi.advanceTimersByTime(30_000);
  server.last.call.onResult(result);
  expect(await next).toBe(result);
  server.sent[0]?.call.onResult(result);
  await Promise.all(running);
});

test('silence is measured from the sending and from each progress on', async () => {
  const call = failureOf(router.call('act', {}, { idleTimeoutMs: 1_000 }));
  for (let step = 0; step < 5; step += 1) {
    vi.advanceTimersByTime(999);
    server.last.call.onProgress({ progress: step });
  }
  vi.advanceTimersByTime(1_000);
  expect(await call).toMatchObject({ code: 'timed-out' });
  expect(server.last.cancelledWith).toMatchObject({ code: 'timed-out' });
});

test('no progress extends the deadline', async () => {
  const call = failureOf(router.call('act', {}, { timeoutMs: 2_500, idleTimeoutMs: 1_000 }));
  for (let step = 0; step < 3; step += 1) {
    vi.advanceTimersByTime(900);
    server.last.call.onProgress({ progress: step });
  }
  expect(await call).toMatchObject({ message: expect.stringContaining('within 2500 ms') });
});

test('a call moves on after failures of two connections, and fails after two failures of one', async () => {
  const moving = router.call('act', {});
  const first = server.last;
  server.connect();
  first.call.onFailure(lost(false));
  server.last.call.onResult(result);
  expect(await moving).toBe(result);

  const stuck = failureOf(router.call('act', {}));
  server.last.call.onFailure(lost(false));
  server.last.call.onFailure(lost(false));
  expect(await stuck).toMatchObject({ code: 'connection-lost', retryable: true });
});

test.each([
  [{ readOnlyHint: true }, 2],
  [{ idempotentHint: true }, 2],
  [{ readOnlyHint: false, destructiveHint: false }, 1],
  [undefined, 1],
])('a tool with the annotations %j is called %i times at most', async (annotations, times) => {
  server.tools = [{ name: 'act', inputSchema: {}, annotations }];
  const call = failureOf(router.call('act', {}, { repeat: 'if-safe' }));
  for (let round = 0; round < 4; round += 1) {
    server.last.call.onFailure(lost(true));
    await Promise.resolve();
  }
  expect(await call).toMatchObject({ code: 'outcome-unknown' });
  expect(server.sent).toHaveLength(times);
});

test('a call whose second attempt cannot be made has an unknown outcome', async () => {
  server.tools = [{ name: 'act', inputSchema: {}, annotations: { readOnlyHint: true } }];
  server.acquireSessionFor = () => Promise.reject(new ManagerError('start-failed', 'cannot start'));
  const call = failureOf(router.call('act', {}, { repeat: 'if-safe' }));
  Object.assign(server.last.session, { isOpen: false });
  server.readySession = undefined;
  server.last.call.onFailure(lost(true));
  expect(await call).toMatchObject({ code: 'outcome-unknown' });
});

const anyEvent = fc.oneof(
  fc.constantFrom('call', 'cancel', 'wait', 'refuse' as const),
  fc.record({ which: fc.nat(9), outcome: fc.constantFrom('result', 'error', 'sent', 'unsent', 'progress' as const) }),
);

test('every call settles exactly once within the limits', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyEvent, { maxLength: 60 }), async (events) => {
      server = new ScriptedServer();
      router = new RequestRouter({ supervisor: server, callTimeoutMs: 1_000 });
      const ends: AbortController[] = [];
      const open = new Set<number>();
      for (const event of events) {
        if (event === 'call') {
          const end = new AbortController();
          const number = ends.push(end);
          open.add(number);
          const settled = (): void => void expect(open.delete(number)).toBe(true);
          router.call('act', {}, { signal: end.signal, idleTimeoutMs: 700 }).then(settled, settled);
        } else if (event === 'cancel') ends.at(-1)?.abort(new Error('cancelled'));
        else if (event === 'wait') vi.advanceTimersByTime(400);
        else if (event === 'refuse') router.refuseUnsent();
        else tell(server.sent[event.which], event.outcome);
        await vi.advanceTimersByTimeAsync(0);
        expect(server.began - server.ended).toBe(open.size);
        expect(open.size).toBeLessThanOrEqual(5);
      }
      await vi.advanceTimersByTimeAsync(2_000);
      expect(open.size).toBe(0);
      expect(vi.getTimerCount()).toBe(0);
    }),
  );
});

function tell(sent: SentCall | undefined, outcome: 'result' | 'error' | 'sent' | 'unsent' | 'progress'): void {
  if (outcome === 'result') sent?.call.onResult(result);
  else if (outcome === 'error') sent?.call.onFailure(new ManagerError('server-error', 'no'));
  else if (outcome === 'progress') sent?.call.onProgress({ progress: 1 });
  else sent?.call.onFailure(lost(outcome === 'sent'));
}

/** A call that is sent and left without an answer until its limit. */
async function silentCall(timeoutMs = 5_000): Promise<unknown> {
  const call = failureOf(router.call('act', {}, { timeoutMs }));
  vi.advanceTimersByTime(timeoutMs);
  return call;
}

/** The session of the server as a test may change it. */
function sessionHeardAt(atMs: number): void {
  (server.readySession as { lastByteAt: number }).lastByteAt = atMs;
}

test('five calls in a row that time out without a byte refuse calls, and a byte lets the next one try', async () => {
  for (let call = 0; call < 5; call += 1) expect(await silentCall()).toMatchObject({ code: 'timed-out' });
  expect(await failureOf(router.call('act', {}))).toMatchObject({ code: 'busy', retryable: true });
  vi.advanceTimersByTime(1_000);
  sessionHeardAt(performance.now());
  const probe = router.call('act', {});
  server.last.call.onResult(result);
  await probe;
  const next = router.call('act', {});
  server.last.call.onResult(result);
  await next;
});

test('calls that time out while bytes come refuse nothing', async () => {
  for (let call = 0; call < 20; call += 1) {
    const outcome = failureOf(router.call('act', {}, { timeoutMs: 5_000 }));
    vi.advanceTimersByTime(1_000);
    sessionHeardAt(performance.now());
    vi.advanceTimersByTime(4_000);
    expect(await outcome).toMatchObject({ code: 'timed-out' });
  }
  expect(server.sent).toHaveLength(20);
  expect(server.unansweredSince).toEqual([]);
});

test('calls with limits below a second refuse nothing when they time out', async () => {
  for (let call = 0; call < 20; call += 1) expect(await silentCall(100)).toMatchObject({ code: 'timed-out' });
  expect(server.sent).toHaveLength(20);
});

test('a call that times out in silence is reported unless an older one is under way', async () => {
  const older = failureOf(router.call('act', {}, { timeoutMs: 60_000 }));
  vi.advanceTimersByTime(1_000);
  await silentCall();
  expect(server.unansweredSince).toEqual([]);
  vi.advanceTimersByTime(60_000);
  expect(await older).toMatchObject({ code: 'timed-out' });
  expect(server.unansweredSince).toHaveLength(1);
  await silentCall();
  expect(server.unansweredSince).toHaveLength(2);
});
