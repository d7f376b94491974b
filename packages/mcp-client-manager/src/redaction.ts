import { withRedactedKeys } from '@x/internal/secrets';
import { ManagerError } from './errors.js';

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/** Where there is nothing to take out. */
export const asItIs: Redact = (text) => text;

/** A redactor comes from the host app. What one that throws would have taken out is not known, so nothing is shown. */
export function guarded(redact: Redact): Redact {
  return (text) => {
    try {
      return redact(text);
    } catch {
      return '[not shown: it could not be redacted]';
    }
  };
}

/** Deeper data than this is left out: nobody reads it, and it may have been made to exhaust the stack. */
const maxDepth = 50;

/** The same plain data with `redact` over every text and key in it. Keys that become equal are numbered. */
export function redactData(data: unknown, redact: Redact): unknown {
  return redactTo(data, redact, 0);
}

function redactTo(data: unknown, redact: Redact, depth: number): unknown {
  if (typeof data === 'string') return redact(data);
  if (typeof data === 'bigint') return String(data); // JSON has no such number
  if (typeof data !== 'object' || data === null) return data;
  if (depth === maxDepth) return '[nested too deeply]';
  if (Array.isArray(data)) return data.map((entry) => redactTo(entry, redact, depth + 1));
  const values = Object.entries(data).map(([key, value]) => [key, redactTo(value, redact, depth + 1)]);
  return withRedactedKeys(Object.fromEntries(values), redact);
}

/**
 * The same failure, down to its last cause, with `redact` over every text in it. What only its own maker knows of it (the
 * arguments of a launch, the headers of a request) is left out.
 */
export function redactError(error: unknown, redact: Redact): unknown {
  return redact === asItIs ? error : redactErrorTo(error, redact, 0);
}

function redactErrorTo(error: unknown, redact: Redact, depth: number): unknown {
  if (!(error instanceof Error)) return redactData(error, redact);
  if (depth === maxDepth) return new Error('[nested too deeply]');
  const options = 'cause' in error ? { cause: redactErrorTo(error.cause, redact, depth + 1) } : {};
  const told = copyOf(error, redact, options);
  if (error.stack !== undefined) told.stack = redact(error.stack);
  return told;
}

function copyOf(error: Error, redact: Redact, options: ErrorOptions): Error {
  const message = redact(error.message);
  if (error instanceof ManagerError) {
    const { code, server, rpc, retryAfterMs, retryable } = error;
    const stderrTail = error.stderrTail.map(redact);
    const shown = rpc && { code: rpc.code, message: redact(rpc.message), data: redactData(rpc.data, redact) };
    return new ManagerError(code, message, { ...options, server, stderrTail, rpc: shown, retryAfterMs, retryable });
  }
  const told = Object.assign(new Error(message, options), { name: error.name });
  const { code, data } = error as { code?: unknown; data?: unknown };
  if (code !== undefined) Object.assign(told, { code: redactData(code, redact) });
  if (data !== undefined) Object.assign(told, { data: redactData(data, redact) });
  return told;
}
