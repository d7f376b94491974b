import { isManagerError, ManagerError } from '../errors.js';
import type { ServerState } from './next-state.js';

export interface RefusalContext {
  readonly name: string;
  readonly autoStart: boolean;
  /** Whether somebody waited already when the server came into this state. */
  readonly isWaiting: boolean;
}

/** Why a server in this state will not get ready by waiting for it; `undefined` when it may. */
export function refusalOf(
  state: ServerState,
  { name, autoStart, isWaiting }: RefusalContext,
): ManagerError | undefined {
  const next = state.phase === 'stopping' ? state.then : state;
  switch (next.phase) {
    case 'closed':
      return new ManagerError('closed', `Server "${name}" cannot be used: the client manager is closed`, {
        server: name,
      });
    case 'failed':
    case 'parked':
      return startError(name, next.cause, 'It is not tried again until it is started by hand.');
    case 'idle':
      return autoStart || isWaiting ? stoppedMeanwhile(name) : notStarted(name);
    default:
      return undefined;
  }
}

/** What everybody who waits is told when a start has failed, although there may be another attempt. */
export function startRefusalOf(state: ServerState, context: RefusalContext): ManagerError | undefined {
  const next = state.phase === 'stopping' ? state.then : state;
  if (next.phase !== 'backoff') return refusalOf(state, context);
  return startError(context.name, next.cause, 'It is tried again in a moment.');
}

function startError(name: string, cause: unknown, outlook: string): ManagerError {
  const reason = cause instanceof Error ? cause.message : `Server "${name}" could not be started`;
  const sentence = /[.!?]$/.test(reason) ? reason : `${reason}.`;
  const stderrTail = isManagerError(cause) ? cause.stderrTail : [];
  return new ManagerError('start-failed', `${sentence} ${outlook}`, { server: name, stderrTail, cause });
}

function stoppedMeanwhile(name: string): ManagerError {
  return new ManagerError('server-stopping', `Server "${name}" was stopped before it was ready for this`, {
    server: name,
  });
}

function notStarted(name: string): ManagerError {
  const message = `Server "${name}" is not running and may not start by itself ("auto_start" is false). Start it first, or allow it to start when it is wanted.`;
  return new ManagerError('not-started', message, { server: name });
}
