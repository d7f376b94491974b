import { ManagerError } from '../errors.js';
import { type Session, SessionLostError, type ToolCallResult, type ToolProgress } from '../session/session.js';
import type { Supervisor } from '../supervisor/supervisor.js';

export interface CallOptions {
  /** Ends the call: the server is told, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Longest wait for the result in milliseconds, counted from the call on. Default `callTimeoutMs` of the manager. */
  readonly timeoutMs?: number | undefined;
  /** Called for each progress notification of this call. Progress does not extend the deadline. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
}

export interface CallRequest extends CallOptions {
  readonly server: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
}

/**
 * Routes one call by the server's name, so that it finds whatever process serves that name now. A call that was not
 * sent yet moves on to the next process. One that was sent is never sent again: nobody can know what it has done.
 *
 * @throws {ManagerError} `not-started`, `start-failed`, `outcome-unknown`, `timed-out`, `server-stopping`,
 * `server-error`, `result-too-large` or `closed`. Rejects with the signal's reason when that aborts.
 */
export async function routeCall(supervisor: Supervisor, request: CallRequest): Promise<ToolCallResult> {
  const { server, tool, timeoutMs, signal } = request;
  signal?.throwIfAborted();
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(timedOut(request)), timeoutMs);
  const onAbort = (): void => end.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await callUntilSent(supervisor, request, end.signal);
  } catch (error) {
    throw error instanceof SessionLostError ? afterLoss(supervisor, { server, tool, cause: error }) : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

async function callUntilSent(
  supervisor: Supervisor,
  { tool, args, onProgress }: CallRequest,
  signal: AbortSignal,
): Promise<ToolCallResult> {
  let previous: Session | undefined;
  for (;;) {
    const session = await supervisor.wanted({ signal });
    try {
      return await session.callTool(tool, args, { signal, onProgress });
    } catch (error) {
      if (!(error instanceof SessionLostError) || error.sent || session === previous) throw error;
      previous = session;
    }
  }
}

function timedOut({ server, tool, timeoutMs }: CallRequest): ManagerError {
  const message = `The call of "${tool}" on server "${server}" had no result within ${timeoutMs} ms; the server was told to cancel it. Give it more time with "timeoutMs".`;
  return new ManagerError('timed-out', message, { server });
}

function afterLoss(
  supervisor: Supervisor,
  { server, tool, cause }: { server: string; tool: string; cause: SessionLostError },
): ManagerError {
  const { state } = supervisor;
  const isOnPurpose = state.phase === 'stopping' && (state.then.phase === 'idle' || state.then.phase === 'closed');
  const stderrTail = supervisor.stderrTail();
  const options = { server, stderrTail, cause };
  if (!cause.sent) {
    return new ManagerError(
      'connection-lost',
      `The call of "${tool}" was not sent: server "${server}" went away`,
      options,
    );
  }
  if (isOnPurpose) {
    const message = `Server "${server}" was stopped while it worked on "${tool}". The call may or may not have had its effect.`;
    return new ManagerError('server-stopping', message, options);
  }
  const message = `Server "${server}" went away while it worked on "${tool}". The call may or may not have had its effect, so it was not repeated.`;
  return new ManagerError('outcome-unknown', message, options);
}
