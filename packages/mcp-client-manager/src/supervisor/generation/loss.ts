import { isManagerError, ManagerError, type ManagerErrorCode } from '../../errors.js';
import { isDeterministic, isExhaustion } from '../../process/spawn-error.js';
import type { ExitFacts } from '../../process/spawn-server.js';
import type { Loss } from '../state/server-state.js';
import type { ConnectionEnd } from './connection.js';
import { describeExit } from './stdio-start.js';

/** A server that leaves sooner after its start, in milliseconds, has hardly done anything. */
const quickMs = 60_000;

const permanentCodes: ReadonlySet<ManagerErrorCode> = new Set([
  'launch-refused',
  'command-not-found',
  'command-not-executable',
  'directory-not-found',
  'unsupported-protocol',
  'stop-failed',
]);

export interface StartLossContext {
  /** How the process ended, when that was before the handshake was over. */
  readonly earlyExit: ExitFacts | undefined;
  readonly isExcused: boolean;
  /** Keeps every server from starting for a while, for this reason. Returns how long, in milliseconds. */
  readonly pauseStarts: (reason: string) => number;
}

/** What a start that has failed means. */
export function lossOfStart(cause: unknown, { earlyExit, isExcused, pauseStarts }: StartLossContext): Loss {
  if (!isManagerError(cause)) {
    if (isExhaustion(cause)) return { kind: 'exhausted', cause, delayMs: pauseStarts((cause as Error).message) };
    return { kind: 'transient', cause, isExcused };
  }
  if (permanentCodes.has(cause.code)) return { kind: 'permanent', cause };
  // A vault that cannot be reached may be back soon; a manager without any `resolveSecret` stays without one.
  if (cause.code === 'unresolved-secret' && cause.cause === undefined) return { kind: 'permanent', cause };
  if (cause.code === 'spawn-failed' && isDeterministic(cause.cause)) return { kind: 'permanent', cause };
  if (cause.code === 'auth-required') return { kind: 'auth-required', cause };
  if (cause.code === 'spawn-failed' && isExhaustion(cause.cause))
    return { kind: 'exhausted', cause, delayMs: pauseStarts(cause.message) };
  return { kind: 'transient', cause, isExcused, earlyExit: earlyExit && fingerprintOf(earlyExit, cause.stderrTail) };
}

export interface EndContext {
  readonly server: string;
  readonly stderrTail: readonly string[];
  readonly isReady: boolean;
  /** Whether it is reached by URL and a new session may be tried at once. Asked once, when it matters. */
  readonly mayRenew: () => boolean;
  readonly isExcused: boolean;
  /** Since the process was asked for. */
  readonly uptimeMs: number;
}

/** What the end of an open session means. */
export function lossOfSession(
  end: ConnectionEnd,
  { isReady, mayRenew, isExcused, uptimeMs, ...context }: EndContext,
): Loss {
  // A server that lets the handshake pass and nothing else wants a sign-in no less than one that refuses both. Later on
  // it may have been the token, and the next start shows whether there is another.
  if (!isReady && isManagerError(end.cause) && end.cause.code === 'auth-required') {
    return { kind: 'auth-required', cause: end.cause };
  }
  const cause = endError(end, context);
  if (isReady && !end.isAsked && mayRenew()) return { kind: 'session-over', cause };
  if (end.exit?.code !== 0 || !isReady) return { kind: 'transient', cause, isExcused };
  return { kind: 'clean', cause, isQuick: uptimeMs < quickMs };
}

/** How a session ended, for those who were in the middle of something. */
export function endError(
  { exit, isAsked }: ConnectionEnd,
  { server, stderrTail }: Pick<EndContext, 'server' | 'stderrTail'>,
): ManagerError {
  const options = { server, stderrTail };
  if (isAsked) return new ManagerError('server-stopping', `Server "${server}" was stopped`, options);
  const what = exit ? `exited (${describeExit(exit)})` : 'closed the connection';
  return new ManagerError('connection-lost', `Server "${server}" ${what}`, options);
}

/** The same text for the same end. Numbers in last words are mostly times and process ids. */
function fingerprintOf(exit: ExitFacts, stderrTail: readonly string[]): string {
  return [describeExit(exit), ...stderrTail.slice(-10).map((line) => line.replace(/\d+/g, '#'))].join('\n');
}
