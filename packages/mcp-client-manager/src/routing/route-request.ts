import { onAbort } from '@x/internal/async';
import { requireTimeout } from '../bounds.js';
import { ManagerError } from '../errors.js';
import type { CallHost } from '../session/call-host.js';
import { type Session, SessionLostError, type ToolProgress } from '../session/session.js';
import { withStderrTail } from '../session/with-stderr-tail.js';
import { afterInput } from './after-input.js';
import type { CalledServer } from './call.js';
import { type CallProgress, displaced, lostRequest, stoppedBefore, waitedTooLong } from './call-failures.js';
import { type CallCaller, sharerOf } from './caller.js';
import { Deadline } from './deadline.js';
import type { Gate } from './gate.js';
import { awaitedHost, type WaitingForHost } from './host-wait.js';
import { RequestTurn } from './request-turn.js';

/** How one request is made. */
export interface RequestOptions {
  /** Ends the request: the server is told, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Longest wait for the result in milliseconds, waiting for a turn and for the server's start included; the time in which `host`
   * answers is not, up to half an hour. Default `callTimeoutMs` of the manager.
   */
  readonly timeoutMs?: number | undefined;
  /** As with `callTool`. Default `queueTimeoutMs` of the server's spec. */
  readonly queueTimeoutMs?: number | undefined;
  /** Called for each progress notification of this request. Progress does not extend the deadline. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Sent along as `_meta`, such as `traceparent`. The key `progressToken` is the manager's own. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Answers what the server asks of its client while it works on this request. Default: the manager's `handlers` do. */
  readonly host?: CallHost | undefined;
  /** As with `callTool`. */
  readonly caller?: CallCaller | undefined;
}

export interface RequestRoute {
  readonly supervisor: CalledServer;
  readonly gate: Gate;
}

export interface RoutedRequest {
  readonly server: string;
  /** What people call it, such as `"resources/read"`. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly queueTimeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly host: CallHost | undefined;
  readonly caller: CallCaller | undefined;
}

/** How one session is asked. */
export interface SendOptions {
  readonly signal: AbortSignal;
  readonly host: CallHost | undefined;
}

/**
 * Routes anything but a call of a tool by the server's name, so that it finds whatever process serves that name now. It
 * has its turn among the calls. What was not sent yet moves on to the next process. What was sent is never sent again.
 *
 * @param send - Asks one session. May be called once more for another.
 * @throws {TypeError} Names the option that is out of bounds.
 * @throws {ManagerError} For the codes see `ManagedRequests`. Rejects with the signal's reason when that aborts.
 */
export async function routeRequest<Result>(
  { supervisor, gate }: RequestRoute,
  request: RoutedRequest,
  send: (session: Session, how: SendOptions) => Promise<Result>,
): Promise<Result> {
  const { server, what, timeoutMs, queueTimeoutMs, signal, host } = request;
  requireTimeout('timeoutMs', timeoutMs);
  if (queueTimeoutMs !== undefined) requireTimeout('queueTimeoutMs', queueTimeoutMs);
  signal?.throwIfAborted();
  const client = sharerOf(request);
  const refusal = gate.refusal(what, client);
  if (refusal) throw refusal;
  const end = new AbortController();
  const turn = new RequestTurn({
    queueTimeoutMs,
    client,
    onRefused: () => end.abort(stoppedBefore({ server, what })),
    onDisplaced: () => end.abort(displaced({ server, what })),
    onWaited: (waitedMs) => end.abort(waitedTooLong({ server, what }, waitedMs)),
  });
  let session: Session | undefined;
  let sentAtMs = 0;
  let isWaitingForHost = false;
  let isSettled = false;
  /** The connection that could not even be written to. A second time there is no hope for it. */
  let deadEnd: Session | undefined;
  let wasRefused = false;
  const endAtDeadline = (): void => {
    const progress = turn.hasBegun ? (session ? 'sent' : 'waiting') : 'queued';
    if (session && !isWaitingForHost) gate.timedOut(turn, session, sentAtMs);
    end.abort(timedOut(request, progress, supervisor.whyNotReady));
  };
  const deadline: Deadline = new Deadline(timeoutMs, () => {
    const reading = { dueMs: deadline.dueMs, lastByteAtMs: () => session?.lastByteAt, isOver: () => isSettled };
    const wasWaiting = isWaitingForHost;
    afterInput(reading, () => {
      // A question to the host that was read meanwhile has stopped the clock, and set it anew.
      if (wasWaiting || !isWaitingForHost) endAtDeadline();
    });
  });
  const waiting: WaitingForHost = {
    waits: () => {
      isWaitingForHost = true;
      deadline.stop();
      gate.pause(turn);
    },
    goesOn: () => {
      isWaitingForHost = false;
      if (session) gate.sentTo(session, turn);
      deadline.goOn();
      return gate.resume(turn);
    },
  };
  const how = { signal: end.signal, host: host && awaitedHost(host, waiting) };
  const ignoreSignal = signal && onAbort(signal, () => end.abort(signal.reason));
  gate.enter(turn);
  try {
    await turn.wait(end.signal);
    for (;;) {
      session = supervisor.readySession ?? (await supervisor.wanted({ signal: end.signal }));
      sentAtMs = performance.now();
      gate.sentTo(session, turn);
      try {
        const result = await send(session, how);
        gate.answered();
        return result;
      } catch (error) {
        end.signal.throwIfAborted();
        if (!(error instanceof SessionLostError)) {
          gate.failed(session, error);
          throw error;
        }
        const isLast = error.refused ? wasRefused : error.sent || session === deadEnd;
        if (isLast) throw await lossError({ supervisor, gate }, session, { request, error });
        wasRefused ||= error.refused;
        deadEnd = session;
        session = undefined;
      }
    }
  } catch (error) {
    throw error === signal?.reason ? error : withStderrTail(error, () => supervisor.stderrTail());
  } finally {
    isSettled = true;
    deadline.clear();
    ignoreSignal?.();
    gate.leave(turn);
  }
}

function timedOut(
  { server, what, timeoutMs }: RoutedRequest,
  progress: CallProgress,
  whyNotReady: string | undefined,
): ManagerError {
  const why = {
    queued: `was not sent: the server was busy with other calls for ${timeoutMs} ms`,
    waiting: `was not sent: the server was not ready within ${timeoutMs} ms${whyNotReady === undefined ? '' : ` (${whyNotReady})`}`,
    sent: `had no answer within ${timeoutMs} ms`,
  }[progress];
  const message = `${what} on server "${server}" ${why}. Give it more time with "timeoutMs".`;
  return new ManagerError('timed-out', message, { server, retryable: progress !== 'sent' });
}

async function lossError(
  { supervisor, gate }: RequestRoute,
  session: Session,
  { request: { server, what }, error }: { request: RoutedRequest; error: SessionLostError },
): Promise<ManagerError> {
  const loss = session.isOpen ? undefined : await supervisor.lossOf(session);
  if (loss?.code !== 'server-stopping') gate.lost(session);
  const ended = { loss, cause: error, attempts: error.sent ? 1 : 0, maySafelyRepeat: false };
  return lostRequest({ server, what }, ended);
}
