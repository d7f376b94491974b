import { isManagerError, ManagerError, type ManagerErrorCode } from '../../errors.js';
import { isDeterministic, isExhaustion } from '../../process/spawn-error.js';
import type { Loss } from '../state/server-state.js';
import type { ConnectionEnd } from './connection.js';
import { describeExit } from './stdio-start.js';

/** A clean exit this soon after the start counts as quick. */
const quickMs = 60_000;

const permanentCodes: ReadonlySet<ManagerErrorCode> = new Set([
  'not-set-up',
  'launch-refused',
  'command-not-found',
  'command-not-executable',
  'directory-not-found',
  'unsupported-protocol',
  'stop-failed',
  // The health check calls a tool that the server lacks.
  'unknown-tool',
]);

interface StartLossContext {
  readonly isInSleepGrace: boolean;
  /** Pauses all starts. Returns the pause in milliseconds. */
  readonly pauseStarts: (reason: string) => number;
}

export function lossOfStart(cause: unknown, { isInSleepGrace, pauseStarts }: StartLossContext): Loss {
  if (!isManagerError(cause)) {
    if (isExhaustion(cause)) return { kind: 'exhausted', cause, delayMs: pauseStarts((cause as Error).message) };
    return { kind: 'transient', cause, isInSleepGrace };
  }
  if (permanentCodes.has(cause.code)) return { kind: 'permanent', cause };
  // An unreachable vault may recover; a manager without `resolveSecret` does not.
  if (cause.code === 'unresolved-secret' && cause.cause === undefined) return { kind: 'permanent', cause };
  if (cause.code === 'spawn-failed' && isDeterministic(cause.cause)) return { kind: 'permanent', cause };
  if (cause.code === 'auth-required') return { kind: 'auth-required', cause };
  if (cause.code === 'spawn-failed' && isExhaustion(cause.cause))
    return { kind: 'exhausted', cause, delayMs: pauseStarts(cause.message) };
  return { kind: 'transient', cause, isInSleepGrace };
}

interface EndContext {
  readonly server: string;
  readonly stderrTail: readonly string[];
  readonly isReady: boolean;
  /** An HTTP server may open a new session at once. Called at most once. */
  readonly mayRenew: () => boolean;
  readonly isInSleepGrace: boolean;
  readonly uptimeMs: number;
}

export function lossOfSession(
  end: ConnectionEnd,
  { isReady, mayRenew, isInSleepGrace, uptimeMs, ...context }: EndContext,
): Loss {
  // Before `ready`, the server accepts only the handshake and requires a sign-in. In a later session the token may have
  // expired; the next start shows whether there is another.
  if (!isReady && isManagerError(end.cause) && end.cause.code === 'auth-required') {
    return { kind: 'auth-required', cause: end.cause };
  }
  const cause = endError(end, context);
  if (isReady && !end.isAsked && mayRenew()) return { kind: 'session-over', cause };
  if (end.exit?.code !== 0 || !isReady) return { kind: 'transient', cause, isInSleepGrace };
  return { kind: 'clean', cause, isQuick: uptimeMs < quickMs };
}

/** For requests in progress at the end of a session. */
export function endError(
  { exit, isAsked }: ConnectionEnd,
  { server, stderrTail }: Pick<EndContext, 'server' | 'stderrTail'>,
): ManagerError {
  const options = { server, stderrTail };
  if (isAsked) return new ManagerError('server-stopping', `Server "${server}" was stopped`, options);
  const what = exit ? `exited (${describeExit(exit)})` : 'closed the connection';
  return new ManagerError('connection-lost', `Server "${server}" ${what}`, options);
}
