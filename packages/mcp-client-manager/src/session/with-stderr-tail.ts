import { ManagerError } from '../errors.js';

export function withStderrTail(error: unknown, stderrTail: () => readonly string[]): unknown {
  if (!(error instanceof ManagerError) || error.stderrTail.length > 0) return error;
  const lines = stderrTail();
  if (lines.length === 0) return error;
  const { code, message, stack, server, rpc, retryAfterMs, retryable, cause } = error;
  const told = new ManagerError(code, message, { server, rpc, retryAfterMs, retryable, cause, stderrTail: lines });
  if (stack !== undefined) told.stack = stack;
  return told;
}
