import { ManagerError } from '../errors.js';

/** The same failure with the last lines of the process behind it, if it is one of ours and has none yet. */
export function withStderrTail(error: unknown, stderrTail: () => readonly string[]): unknown {
  if (!(error instanceof ManagerError) || error.stderrTail.length > 0) return error;
  const lines = stderrTail();
  if (lines.length === 0) return error;
  const { code, message, stack, server, rpc, retryAfterMs, retryable, cause } = error;
  const told = new ManagerError(code, message, { server, rpc, retryAfterMs, retryable, cause, stderrTail: lines });
  if (stack !== undefined) told.stack = stack; // where it happened, not where it was completed
  return told;
}
