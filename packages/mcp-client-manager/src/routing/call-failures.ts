import { ManagerError } from '../errors.js';

/** The call that a failure is about. */
export interface CallName {
  readonly server: string;
  readonly tool: string;
}

/** A call or any other request that a failure is about; `what` is how people call it. */
export interface RequestName {
  readonly server: string;
  readonly what: string;
}

/** How far a call had come when its time was over. */
export type CallProgress = 'queued' | 'waiting' | 'sent';

/** The time limit that was over. */
export interface OverLimit {
  readonly timeoutMs: number;
  /** Why the server took no calls then, where a failure is known. */
  readonly whyNotReady: string | undefined;
}

export function timedOut(
  { server, tool }: CallName,
  { timeoutMs, whyNotReady }: OverLimit,
  progress: CallProgress,
): ManagerError {
  const outcome = {
    queued: `was not sent, since the server was busy with other calls for ${timeoutMs} ms.`,
    waiting: `was not sent, since the server was not ready within ${timeoutMs} ms${reasonIn(whyNotReady)}`,
    sent: `had no result within ${timeoutMs} ms; the server was told to cancel it.`,
  }[progress];
  const message = `The call of "${tool}" on server "${server}" ${outcome} Give it more time with "timeoutMs".`;
  return new ManagerError('timed-out', message, { server, retryable: progress !== 'sent' });
}

function reasonIn(whyNotReady: string | undefined): string {
  if (whyNotReady === undefined) return '.';
  return whyNotReady.endsWith('.') ? `: ${whyNotReady}` : `: ${whyNotReady}.`;
}

export function silentTooLong({ server, tool }: CallName, idleTimeoutMs: number): ManagerError {
  const message = `Server "${server}" was silent for ${idleTimeoutMs} ms while it worked on "${tool}"; it was told to cancel the call. Allow a longer silence with "idleTimeoutMs", or let the tool report its progress.`;
  return new ManagerError('timed-out', message, { server });
}

/** `what` begins the sentence here. */
export function queueFull(
  { server, what }: RequestName,
  { inFlight, queued }: { inFlight: number; queued: number },
): ManagerError {
  const message = `${what} was not sent: server "${server}" works on ${inFlight} calls and ${queued} wait, which is all that may. Call again later, or raise "maxConcurrentCalls" or "maxQueuedCalls".`;
  return new ManagerError('busy', message, { server });
}

/** `what` begins the sentence here. */
export function circuitOpen({ server, what }: RequestName, retryAfterMs: number): ManagerError {
  const seconds = Math.ceil(retryAfterMs / 1_000);
  const message = `${what} was not sent: the connection to server "${server}" failed under the last calls. Call again in ${seconds} s.`;
  return new ManagerError('busy', message, { server, retryAfterMs: Math.ceil(retryAfterMs) });
}

/** It was not its turn in time. */
export function waitedTooLong({ server, what }: RequestName, queueTimeoutMs: number): ManagerError {
  const message = `Server "${server}" was busy with other calls for ${queueTimeoutMs} ms, so ${what} was not sent. Call again later, let more of them run with "maxConcurrentCalls", or let it wait longer with "queueTimeoutMs".`;
  return new ManagerError('busy', message, { server });
}

/** Its place in the queue went to somebody who has fewer. */
export function displaced({ server, what }: RequestName): ManagerError {
  const message = `Server "${server}" is busy and its queue is full, so ${what} was not sent: its place went to a caller with fewer calls in the queue. Call again later, with fewer calls at a time.`;
  return new ManagerError('busy', message, { server });
}

export function stoppedBefore({ server, what }: RequestName): ManagerError {
  const message = `Server "${server}" was stopped before ${what} was sent; it was not made.`;
  return new ManagerError('server-stopping', message, { server });
}

/** The server answered HTTP 404 to the request, and did so again in a fresh session. */
function refusedTwice({ server, what }: RequestName, cause: unknown): ManagerError {
  const message = `Server "${server}" failed ${what}: it answered HTTP 404, in a fresh session too. It may or may not have had its effect, so it was not repeated again.`;
  return new ManagerError('outcome-unknown', message, { server, cause });
}

/** How a connection that a call or another request was sent in, or was to be sent in, went away. */
export interface RequestLoss {
  /** How it ended, as far as is known. */
  readonly loss: ManagerError | undefined;
  readonly cause: { readonly sent: boolean; readonly refused?: boolean };
  /** How often the request was sent. */
  readonly attempts: number;
  /** Whether the request may safely be made twice. */
  readonly maySafelyRepeat: boolean;
}

/** The connection is gone under a call. */
export function lostCall({ server, tool }: CallName, ended: RequestLoss): ManagerError {
  const { attempts } = ended;
  const outlook =
    attempts > 1 ? 'at this second attempt as at the first, and it is not made again' : 'so it was not repeated';
  return lostRequest(
    { server, what: `the call of "${tool}"` },
    ended,
    `while it worked on "${tool}". The call may or may not have had its effect, ${outlook}.`,
  );
}

/** The same for any request. @param ifSent - How the message goes on when the server may have worked on it. */
export function lostRequest(
  { server, what }: RequestName,
  { loss, cause, attempts, maySafelyRepeat }: RequestLoss,
  ifSent = `while it worked on ${what}, which was not repeated.`,
): ManagerError {
  if (cause.refused) return refusedTwice({ server, what }, cause);
  const how = loss?.message ?? `The connection to server "${server}" failed`;
  const options = { server, stderrTail: loss?.stderrTail, cause };
  if (attempts === 0) return new ManagerError('connection-lost', `${how}; ${what} was not sent.`, options);
  const message = `${how} ${ifSent}`;
  const wasAsked = loss?.code === 'server-stopping';
  if (wasAsked && maySafelyRepeat) return new ManagerError('server-stopping', message, options);
  return new ManagerError('outcome-unknown', message, { ...options, ...(wasAsked && { cause: loss }) });
}
