import { describe, expect, test } from 'vitest';
import { ManagerError } from '../../src/errors.js';
import {
  circuitOpen,
  displaced,
  lostRequest,
  queueFull,
  silentTooLong,
  stoppedBefore,
  timedOut,
  waitedTooLong,
} from '../../src/routing/request-failures.js';

const call = { server: 'files', tool: 'write', method: 'tools/call' };
const request = { server: 'files', method: 'prompts/get' };
const limit = { timeoutMs: 50, whyNotReady: undefined };
const crash = new ManagerError('connection-lost', 'Server "files" exited with code 1', {
  server: 'files',
  stderrTail: ['out of memory'],
});
const refusal = { sent: false, refused: true };
const stop = new ManagerError('server-stopping', 'Server "files" was stopped', { server: 'files' });

describe('retryable failures: the server never had the request', () => {
  test.each([
    ['timed-out', timedOut(call, limit, 'queued')],
    ['timed-out', timedOut(call, limit, 'waiting')],
    ['busy', queueFull(request, { inFlight: 16, queued: 64 })],
    ['busy', circuitOpen(request, 1_500)],
    ['busy', waitedTooLong(request, 50)],
    ['busy', displaced(request)],
    ['server-stopping', stoppedBefore(request)],
    [
      'connection-lost',
      lostRequest(call, { loss: crash, cause: { sent: false }, attempts: 0, maySafelyRepeat: false }),
    ],
    ['server-stopping', lostRequest(call, { loss: stop, cause: { sent: true }, attempts: 1, maySafelyRepeat: true })],
  ] as const)('%s: %s', (code, failure) => {
    expect(failure).toMatchObject({ code, retryable: true, server: 'files' });
  });
});

describe('failures that are not retryable: the server may have done it', () => {
  test.each([
    ['timed-out', timedOut(call, limit, 'sent')],
    ['timed-out', silentTooLong(call, 50)],
    ['outcome-unknown', lostRequest(call, { loss: crash, cause: { sent: true }, attempts: 1, maySafelyRepeat: true })],
    ['outcome-unknown', lostRequest(call, { loss: stop, cause: { sent: true }, attempts: 1, maySafelyRepeat: false })],
    [
      'outcome-unknown',
      lostRequest(request, { loss: undefined, cause: { sent: true }, attempts: 2, maySafelyRepeat: true }),
    ],
    ['outcome-unknown', lostRequest(call, { loss: undefined, cause: refusal, attempts: 0, maySafelyRepeat: true })],
  ] as const)('%s: %s', (code, failure) => {
    expect(failure).toMatchObject({ code, retryable: false, server: 'files' });
  });
});

describe('an error states the request, the fact and the remedy', () => {
  test.each([
    [timedOut(call, limit, 'queued'), 'The call of "write" on server "files" was not sent, since the server was busy'],
    [timedOut(call, limit, 'waiting'), 'was not sent, since the server was not ready within 50 ms.'],
    [timedOut(call, limit, 'sent'), 'had no result within 50 ms and was cancelled.'],
    [silentTooLong(call, 50), 'Server "files" was silent for 50 ms while it worked on "write"'],
    [
      queueFull(request, { inFlight: 16, queued: 64 }),
      'server "files" has 16 calls in progress and 64 queued, which is its limit',
    ],
    [circuitOpen(request, 1_500), 'Retry in 2 s.'],
    [waitedTooLong(request, 50), 'was busy with other calls for 50 ms, so "prompts/get" was not sent.'],
    [displaced(request), 'so "prompts/get" was not sent: its place went to a caller with fewer calls in the queue.'],
    [stoppedBefore(request), 'Server "files" was stopped before "prompts/get" was sent'],
    [
      lostRequest(call, { loss: undefined, cause: refusal, attempts: 0, maySafelyRepeat: false }),
      'Server "files" failed the call of "write": it answered HTTP 404, in a new session, too.',
    ],
  ])('%s', (failure, text) => {
    expect(failure.message).toContain(text);
  });

  test.each(['no room (EMFILE)', 'no room (EMFILE).'])(
    'a call that waited for its server says why: %s',
    (whyNotReady) => {
      expect(timedOut(call, { timeoutMs: 50, whyNotReady }, 'waiting').message).toBe(
        'The call of "write" on server "files" was not sent, since the server was not ready within 50 ms: no room (EMFILE). Raise "timeoutMs" to wait longer.',
      );
    },
  );

  test('a lost call names the tool, the loss and its attempts', () => {
    const ended = { loss: crash, cause: { sent: true }, maySafelyRepeat: false };
    expect(lostRequest(call, { ...ended, attempts: 0, cause: { sent: false } }).message).toBe(
      'Server "files" exited with code 1; the call of "write" was not sent.',
    );
    expect(lostRequest(call, { ...ended, attempts: 1 }).message).toBe(
      'Server "files" exited with code 1 while it worked on "write". The call may or may not have had its effect, so it was not repeated.',
    );
    expect(lostRequest(call, { ...ended, attempts: 2 }).message).toContain(
      'at this second attempt as at the first, and it is not made again.',
    );
  });

  test('a request lost for an unknown reason names the server and the request', () => {
    const lost = lostRequest(request, { loss: undefined, cause: { sent: true }, attempts: 1, maySafelyRepeat: false });
    expect(lost.message).toBe(
      'The connection to server "files" failed while it worked on "prompts/get". The request may or may not have had its effect, so it was not repeated.',
    );
  });
});

describe('the error of a request carries the known details', () => {
  test('an open circuit names the wait in whole milliseconds', () => {
    expect(circuitOpen(request, 1_500.2).retryAfterMs).toBe(1_501);
  });

  test('a lost call carries the last lines of stderr and the cause', () => {
    const cause = { sent: true };
    const lost = lostRequest(call, { loss: crash, cause, attempts: 1, maySafelyRepeat: false });
    expect(lost.stderrTail).toEqual(['out of memory']);
    expect(lost.cause).toBe(cause);
  });

  test('a call that two sessions refused carries the refusal', () => {
    const ended = { loss: undefined, cause: refusal, attempts: 0, maySafelyRepeat: false };
    expect(lostRequest(call, ended).cause).toBe(refusal);
  });

  test('a call lost to a requested stop names that stop as its cause', () => {
    expect(lostRequest(call, { loss: stop, cause: { sent: true }, attempts: 1, maySafelyRepeat: false }).cause).toBe(
      stop,
    );
  });
});
