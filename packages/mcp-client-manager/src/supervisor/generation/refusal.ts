import { messageOf } from '@x/internal/errors';
import { isManagerError, ManagerError } from '../../errors.js';
import { aimOf, type NextState, type ServerState } from '../state/server-state.js';

interface RefusalContext {
  readonly name: string;
  readonly autoStart: boolean;
  /** The caller waited before the server entered this state. */
  readonly isWaiting: boolean;
}

/** Reason why the server will not become ready from this state; `undefined` while it may. */
export function refusalOf(state: ServerState, context: RefusalContext): ManagerError | undefined {
  const aim = aimOf(state);
  const { name } = context;
  switch (aim.phase) {
    case 'closed':
      return closedError(name, aim.reason);
    case 'disabled':
      return disabledError(name);
    case 'failed':
    case 'parked':
      return startError(name, aim);
    case 'auth-required':
      return signInError(name, aim);
    case 'idle':
      // An idle destination, or a caller that already waited: the server was stopped meanwhile.
      return aim !== state || context.autoStart || context.isWaiting ? stoppedMeanwhile(name) : notStarted(name);
    default:
      return undefined;
  }
}

/** For all waiting callers after a failed start, even if another attempt follows. */
export function startRefusalOf(state: ServerState, context: RefusalContext): ManagerError | undefined {
  const aim = aimOf(state);
  return aim.phase === 'backoff' ? startError(context.name, aim) : refusalOf(state, context);
}

export function describeFailure(state: ServerState): string | undefined {
  const aim = aimOf(state);
  if (!('cause' in aim)) return undefined;
  const reason = messageOf(aim.cause);
  if (aim.phase === 'backoff') return reason;
  return `${sentence(reason)} Its tools are not offered until it works again. ${outlookOf(aim)}`;
}

export function failureIn(state: ServerState): string | undefined {
  const aim = aimOf(state);
  return 'cause' in aim ? messageOf(aim.cause) : undefined;
}

type FailedState = Extract<NextState, { cause: unknown }>;

function startError(name: string, state: FailedState): ManagerError {
  const { cause } = state;
  const stderrTail = isManagerError(cause) ? cause.stderrTail : [];
  const reason = messageOf(cause);
  return new ManagerError('start-failed', `${sentence(reason)} ${outlookOf(state)}`, {
    server: name,
    stderrTail,
    cause,
    retryable: state.phase === 'backoff',
  });
}

function signInError(name: string, state: FailedState): ManagerError {
  const reason = messageOf(state.cause);
  return new ManagerError('auth-required', `${sentence(reason)} ${outlookOf(state)}`, {
    server: name,
    cause: state.cause,
  });
}

function outlookOf({ phase, cause }: FailedState): string {
  if (isManagerError(cause) && cause.code === 'not-set-up') return 'Provide it and apply the config again.';
  switch (phase) {
    case 'backoff':
      return 'While the client manager is open, the server is tried again in a moment.';
    case 'parked':
      return 'While the client manager is open, the server is tried again in a few minutes, or when it is started by hand.';
    case 'auth-required':
      return 'It is tried again when it is called after the sign-in, or started by hand.';
    case 'failed':
      return 'It is not tried again until it is started by hand.';
  }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function closedError(name: string, reason: 'manager-closed' | 'removed'): ManagerError {
  const why = reason === 'removed' ? 'it was removed from the configuration' : 'the client manager is closed';
  return new ManagerError('closed', `Server "${name}" cannot be used: ${why}`, { server: name });
}

function disabledError(name: string): ManagerError {
  const message = `Server "${name}" is disabled. Remove "disabled" from its entry or spec to use it.`;
  return new ManagerError('server-disabled', message, { server: name });
}

function stoppedMeanwhile(name: string): ManagerError {
  return new ManagerError('server-stopping', `Server "${name}" was stopped before it became ready`, {
    server: name,
  });
}

function notStarted(name: string): ManagerError {
  const message = `Server "${name}" is not running and may not start by itself ("auto_start" is false). Start it first, or set "auto_start" to true.`;
  return new ManagerError('not-started', message, { server: name });
}
