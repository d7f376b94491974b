import { ManagerError } from '../errors.js';

/** The request that a failure is about. */
export interface RequestName {
  readonly server: string;
  /** The tool, of a call. */
  readonly tool?: string | undefined;
  readonly method: string;
}

/** How far a request had come when its time was over. */
export type RequestProgress = 'queued' | 'waiting' | 'sent';

/** The time limit that was over. */
export interface OverLimit {
  readonly timeoutMs: number;
  /** Why the server took no requests then, where a failure is known. */
  readonly whyNotReady: string | undefined;
}

/** How people call a request, in the middle of a sentence. */
export function nameOf({ tool, method }: Pick<RequestName, 'tool' | 'method'>): string {
  return tool === undefined ? `"${method}"` : `the call of "${tool}"`;
}

/** The same at the beginning of one. */
function subjectOf({ tool, method }: RequestName): string {
  return tool === undefined ? `"${method}"` : `The call of "${tool}"`;
}

/** What the server works on. */
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
    sent: `had no result within ${timeoutMs} ms; the server was told to cancel it.`,
  }[progress];
  const message = `${subjectOf(request)} on server "${server}" ${outcome} Give it more time with "timeoutMs".`;
  return new ManagerError('timed-out', message, { server, retryable: progress !== 'sent' });
}

function reasonIn(whyNotReady: string | undefined): string {
  if (whyNotReady === undefined) return '.';
  return whyNotReady.endsWith('.') ? `: ${whyNotReady}` : `: ${whyNotReady}.`;
}

export function silentTooLong(request: RequestName, idleTimeoutMs: number): ManagerError {
  const { server } = request;
  const message = `Server "${server}" was silent for ${idleTimeoutMs} ms while it worked on ${workOf(request)}; it was told to cancel the call. Allow a longer silence with "idleTimeoutMs", or let the tool report its progress.`;
  return new ManagerError('timed-out', message, { server });
}

export function queueFull(
  request: RequestName,
  { inFlight, queued }: { inFlight: number; queued: number },
): ManagerError {
  const { server } = request;
  const message = `${subjectOf(request)} was not sent: server "${server}" works on ${inFlight} calls and ${queued} wait, which is all that may. Call again later, or raise "maxConcurrentCalls" or "maxQueuedCalls".`;
  return new ManagerError('busy', message, { server });
}

export function circuitOpen(request: RequestName, retryAfterMs: number): ManagerError {
  const { server } = request;
  const seconds = Math.ceil(retryAfterMs / 1_000);
  const message = `${subjectOf(request)} was not sent: the connection to server "${server}" failed under the last calls. Call again in ${seconds} s.`;
  return new ManagerError('busy', message, { server, retryAfterMs: Math.ceil(retryAfterMs) });
}

/** It was not its turn in time. */
export function waitedTooLong(request: RequestName, queueTimeoutMs: number): ManagerError {
  const { server } = request;
  const message = `Server "${server}" was busy with other calls for ${queueTimeoutMs} ms, so ${nameOf(request)} was not sent. Call again later, let more of them run with "maxConcurrentCalls", or let it wait longer with "queueTimeoutMs".`;
  return new ManagerError('busy', message, { server });
}

/** Its place in the queue went to a caller that has fewer. */
export function displaced(request: RequestName): ManagerError {
  const { server } = request;
  const message = `Server "${server}" is busy and its queue is full, so ${nameOf(request)} was not sent: its place went to a caller with fewer calls in the queue. Call again later, with fewer calls at a time.`;
  return new ManagerError('busy', message, { server });
}

export function stoppedBefore(request: RequestName): ManagerError {
  const { server } = request;
  const message = `Server "${server}" was stopped before ${nameOf(request)} was sent; it was not made.`;
  return new ManagerError('server-stopping', message, { server });
}

/** The server answered HTTP 404 to the request, and did so again in a fresh session. */
function refusedTwice(request: RequestName, cause: unknown): ManagerError {
  const { server } = request;
  const message = `Server "${server}" failed ${nameOf(request)}: it answered HTTP 404, in a fresh session too. It may or may not have had its effect, so it was not repeated again.`;
  return new ManagerError('outcome-unknown', message, { server, cause });
}

/** How a connection went away that a request was sent in, or was to be sent in. */
export interface RequestLoss {
  /** How it ended, as far as is known. */
  readonly loss: ManagerError | undefined;
  readonly cause: { readonly sent: boolean; readonly refused?: boolean };
  /** How often the request was sent. */
  readonly attempts: number;
  /** Whether the request may safely be made twice. */
  readonly maySafelyRepeat: boolean;
}

/** The connection is gone under a request. */
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
  const wasAsked = loss?.code === 'server-stopping';
  if (wasAsked && maySafelyRepeat) return new ManagerError('server-stopping', message, options);
  return new ManagerError('outcome-unknown', message, { ...options, ...(wasAsked && { cause: loss }) });
}
