import { onAbort } from '../abort-listener.js';
import { ManagerError } from '../errors.js';
import { requireTimeout } from '../options.js';
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
 * @throws {ManagerError} `not-started`, `start-failed`, `connection-lost`, `outcome-unknown`, `timed-out`,
 * `server-stopping`, `server-error`, `result-too-large` or `closed`. Rejects with the signal's reason when that aborts.
 */
export async function routeCall(supervisor: Supervisor, request: CallRequest): Promise<ToolCallResult> {
  const { timeoutMs, signal } = request;
  requireTimeout('timeoutMs', timeoutMs);
  signal?.throwIfAborted();
  const route = new Route(supervisor, request);
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(route.timedOut()), timeoutMs);
  const ignoreSignal = signal && onAbort(signal, () => end.abort(signal.reason));
  try {
    return await route.call(end.signal);
  } finally {
    clearTimeout(timer);
    ignoreSignal?.();
  }
}

/** One call on its way. */
class Route {
  readonly #supervisor: Supervisor;
  readonly #request: CallRequest;
  #session: Session | undefined;

  constructor(supervisor: Supervisor, request: CallRequest) {
    this.#supervisor = supervisor;
    this.#request = request;
  }

  async call(signal: AbortSignal): Promise<ToolCallResult> {
    const { tool, args, onProgress } = this.#request;
    for (;;) {
      const previous = this.#session;
      const session = await this.#supervisor.wanted({ signal });
      this.#session = session;
      try {
        return await session.callTool(tool, args, { signal, onProgress });
      } catch (error) {
        if (!(error instanceof SessionLostError)) throw error;
        if (error.sent || session === previous) throw await this.#afterLoss(session, error);
      }
    }
  }

  timedOut(): ManagerError {
    const { server, tool, timeoutMs } = this.#request;
    const why = this.#session
      ? `had no result within ${timeoutMs} ms; the server was told to cancel it.`
      : `was not sent, since the server was not ready within ${timeoutMs} ms.`;
    const message = `The call of "${tool}" on server "${server}" ${why} Give it more time with "timeoutMs".`;
    return new ManagerError('timed-out', message, { server });
  }

  async #afterLoss(session: Session, error: SessionLostError): Promise<ManagerError> {
    const { server, tool } = this.#request;
    const loss = session.isOpen ? undefined : await this.#supervisor.lossOf(session);
    const what = loss?.message ?? `The connection to server "${server}" failed`;
    const options = { server, stderrTail: loss?.stderrTail, cause: error };
    if (!error.sent) {
      return new ManagerError('connection-lost', `${what}; the call of "${tool}" was not sent.`, options);
    }
    const message = `${what} while it worked on "${tool}". The call may or may not have had its effect, so it was not repeated.`;
    return new ManagerError(loss?.code === 'server-stopping' ? 'server-stopping' : 'outcome-unknown', message, options);
  }
}
