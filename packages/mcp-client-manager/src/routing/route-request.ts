import { onAbort } from '../abort-listener.js';
import { requireTimeout } from '../bounds.js';
import { ManagerError } from '../errors.js';
import { type Session, SessionLostError, type ToolProgress } from '../session/session.js';
import type { Supervisor } from '../supervisor/supervisor.js';

export interface RequestOptions {
  /** Ends the request: the server is told, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Longest wait for the result in milliseconds, time for starting the server included. Default `callTimeoutMs` of the
   * manager.
   */
  readonly timeoutMs?: number | undefined;
  /** Called for each progress notification of this request. Progress does not extend the deadline. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Sent along as `_meta`, such as `traceparent`. The key `progressToken` is the manager's own. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

export interface RoutedRequest {
  readonly server: string;
  /** What people call it, such as `"resources/read"`. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Routes anything but a call of a tool by the server's name, so that it finds whatever process serves that name now.
 * What was not sent yet moves on to the next process. What was sent is never sent again.
 *
 * @param send - Asks one session. May be called once more for another.
 * @throws {ManagerError} `unsupported`, `not-started`, `start-failed`, `connection-lost`, `outcome-unknown`,
 * `timed-out`, `server-stopping`, `server-error`, `result-too-large` or `closed`. Rejects with the signal's reason when
 * that aborts.
 */
export async function routeRequest<Result>(
  supervisor: Supervisor,
  request: RoutedRequest,
  send: (session: Session, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { timeoutMs, signal } = request;
  requireTimeout('timeoutMs', timeoutMs);
  signal?.throwIfAborted();
  const end = new AbortController();
  let session: Session | undefined;
  const timer = setTimeout(() => end.abort(timedOut(request, { wasReady: session !== undefined })), timeoutMs);
  const ignoreSignal = signal && onAbort(signal, () => end.abort(signal.reason));
  supervisor.callBegan();
  try {
    for (;;) {
      const previous = session;
      session = supervisor.readySession ?? (await supervisor.wanted({ signal: end.signal }));
      try {
        return await send(session, end.signal);
      } catch (error) {
        if (!(error instanceof SessionLostError)) throw error;
        if (error.sent || session === previous) throw await lossError(supervisor, session, { request, error });
      }
    }
  } finally {
    clearTimeout(timer);
    ignoreSignal?.();
    supervisor.callEnded();
  }
}

function timedOut({ server, what, timeoutMs }: RoutedRequest, { wasReady }: { wasReady: boolean }): ManagerError {
  const why = wasReady
    ? `had no answer within ${timeoutMs} ms`
    : `was not sent: the server was not ready within ${timeoutMs} ms`;
  return new ManagerError('timed-out', `${what} on server "${server}" ${why}. Give it more time with "timeoutMs".`, {
    server,
  });
}

async function lossError(
  supervisor: Supervisor,
  session: Session,
  { request: { server, what }, error }: { request: RoutedRequest; error: SessionLostError },
): Promise<ManagerError> {
  const loss = session.isOpen ? undefined : await supervisor.lossOf(session);
  const how = loss?.message ?? `The connection to server "${server}" failed`;
  const options = { server, stderrTail: loss?.stderrTail, cause: error };
  if (!error.sent) return new ManagerError('connection-lost', `${how}; ${what} was not sent.`, options);
  const code = loss?.code === 'server-stopping' ? 'server-stopping' : 'outcome-unknown';
  return new ManagerError(code, `${how} while it worked on ${what}, which was not repeated.`, options);
}
