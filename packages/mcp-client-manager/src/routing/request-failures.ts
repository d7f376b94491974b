import { ManagerError } from '../errors.js';

export interface RequestName {
  readonly server: string;
  readonly tool?: string | undefined;
  readonly method: string;
}

type RequestProgress = 'queued' | 'waiting' | 'sent';

interface OverLimit {
  readonly timeoutMs: number;
  readonly whyNotReady: string | undefined;
}

export function nameOf({ tool, method }: Pick<RequestName, 'tool' | 'method'>): string {
  return tool === undefined ? `"${method}"` : `the call of "${tool}"`;
}

function subjectOf({ tool, method }: RequestName): string {
  return tool === undefined ? `"${method}"` : `The call of "${tool}"`;
}

function workOf({ tool, method }: RequestName): string {
  return `"${tool ?? method}"`;
}

export function timedOut(
  request: RequestName,
  { timeoutMs, whyNotReady }: OverLimit,
  progress: RequestProgress,
): ManagerError {
  const { server } = request;
  const outcome = {
    queued: `was not sent, since the server was busy with other calls for ${timeoutMs} ms.`,
    waiting: `was not sent, since the server was not ready within ${timeoutMs} ms${reasonIn(whyNotReady)}`,
    sent: `had no result within ${timeoutMs} ms and was cancelled.`,
  }[progress];
  const message = `${subjectOf(request)} on server "${server}" ${outcome} Raise "timeoutMs" to wait longer.`;
  return new ManagerError('timed-out', message, { server, retryable: progress !== 'sent' });
}

function reasonIn(whyNotReady: string | undefined): string {
  if (whyNotReady === undefined) return '.';
  return whyNotReady.endsWith('.') ? `: ${whyNotReady}` : `: ${whyNotReady}.`;
}

export function silentTooLong(request: RequestName, idleTimeoutMs: number): ManagerError {
  const { server } = request;
  const message = `Server "${server}" was silent for ${idleTimeoutMs} ms while it worked on ${workOf(request)}, and the call was cancelled. Allow a longer silence with "idleTimeoutMs", or let the tool report its progress.`;
  return new ManagerError('timed-out', message, { server });
}

export function queueFull(
  request: RequestName,
  { inFlight, queued }: { inFlight: number; queued: number },
): ManagerError {
  const { server } = request;
  const message = `${subjectOf(request)} was not sent: server "${server}" has ${inFlight} calls in progress and ${queued} queued, which is its limit. Retry later, or raise "limits.maxConcurrentCalls" or "limits.maxQueuedCalls".`;
  return new ManagerError('busy', message, { server });
}

export function circuitOpen(request: RequestName, retryAfterMs: number): ManagerError {
  const { server } = request;
  const seconds = Math.ceil(retryAfterMs / 1_000);
  const message = `${subjectOf(request)} was not sent: the connection to server "${server}" failed during the last calls. Retry in ${seconds} s.`;
  return new ManagerError('busy', message, { server, retryAfterMs: Math.ceil(retryAfterMs) });
}

export function waitedTooLong(request: RequestName, queueTimeoutMs: number): ManagerError {
  const { server } = request;
  const message = `Server "${server}" was busy with other calls for ${queueTimeoutMs} ms, so ${nameOf(request)} was not sent. Retry later, or raise "limits.maxConcurrentCalls" or "limits.queueTimeoutMs".`;
  return new ManagerError('busy', message, { server });
}

/** Error of a request whose place in the queue went to a caller with fewer places. */
export function displaced(request: RequestName): ManagerError {
  const { server } = request;
  const message = `Server "${server}" is busy and its queue is full, so ${nameOf(request)} was not sent: its place went to a caller with fewer calls in the queue. Retry later with fewer calls at a time.`;
  return new ManagerError('busy', message, { server });
}

export function stoppedBefore(request: RequestName): ManagerError {
  const { server } = request;
  const message = `Server "${server}" was stopped before ${nameOf(request)} was sent.`;
  return new ManagerError('server-stopping', message, { server });
}

function refusedTwice(request: RequestName, cause: unknown): ManagerError {
  const { server } = request;
  const message = `Server "${server}" failed ${nameOf(request)}: it answered HTTP 404, in a new session, too. It may or may not have had its effect, so it was not repeated again.`;
  return new ManagerError('outcome-unknown', message, { server, cause });
}

interface RequestLoss {
  readonly loss: ManagerError | undefined;
  readonly cause: { readonly sent: boolean; readonly refused?: boolean };
  readonly attempts: number;
  readonly maySafelyRepeat: boolean;
}

export function lostRequest(
  request: RequestName,
  { loss, cause, attempts, maySafelyRepeat }: RequestLoss,
): ManagerError {
  const { server } = request;
  if (cause.refused) return refusedTwice(request, cause);
  const how = loss?.message ?? `The connection to server "${server}" failed`;
  const options = { server, stderrTail: loss?.stderrTail, cause };
  if (attempts === 0) return new ManagerError('connection-lost', `${how}; ${nameOf(request)} was not sent.`, options);
  const what = request.tool === undefined ? 'request' : 'call';
  const outlook =
    attempts > 1 ? 'at this second attempt as at the first, and it is not made again' : 'so it was not repeated';
  const message = `${how} while it worked on ${workOf(request)}. The ${what} may or may not have had its effect, ${outlook}.`;
  const wasStopRequested = loss?.code === 'server-stopping';
  if (wasStopRequested && maySafelyRepeat) return new ManagerError('server-stopping', message, options);
  return new ManagerError('outcome-unknown', message, { ...options, ...(wasStopRequested && { cause: loss }) });
}
