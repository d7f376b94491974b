import { withRedactedKeys } from '@x/internal/secrets';
import { ManagerError } from './errors.js';

export type Redact = (text: string) => string;

export const noRedaction: Redact = (text) => text;

/** Withholds the text when the host's redactor throws. */
export function guarded(redact: Redact): Redact {
  return (text) => {
    try {
      return redact(text);
    } catch {
      return '[not shown: it could not be redacted]';
    }
  };
}

/** Deeper data is unreadable, and may be meant to exhaust the stack. */
const maxDepth = 50;

/** Redacts every text and key of plain data. Numbers keys that become equal. */
export function redactData(data: unknown, redact: Redact): unknown {
  return redactTo(data, redact, 0);
}

function redactTo(data: unknown, redact: Redact, depth: number): unknown {
  if (typeof data === 'string') return redact(data);
  if (typeof data === 'bigint') return String(data);
  if (typeof data !== 'object' || data === null) return data;
  if (depth === maxDepth) return '[nested too deeply]';
  if (Array.isArray(data)) return data.map((entry) => redactTo(entry, redact, depth + 1));
  const values = Object.entries(data).map(([key, value]) => [key, redactTo(value, redact, depth + 1)]);
  return withRedactedKeys(Object.fromEntries(values), redact);
}

/**
 * Includes causes. Of custom properties only `code` and `data` remain; others may be launch arguments or request
 * headers.
 */
export function redactError(error: unknown, redact: Redact): unknown {
  return redact === noRedaction ? error : redactErrorTo(error, redact, 0);
}

function redactErrorTo(error: unknown, redact: Redact, depth: number): unknown {
  if (!(error instanceof Error)) return redactData(error, redact);
  if (depth === maxDepth) return new Error('[nested too deeply]');
  const options = 'cause' in error ? { cause: redactErrorTo(error.cause, redact, depth + 1) } : {};
  const copy = copyOf(error, redact, options);
  if (error.stack !== undefined) copy.stack = redact(error.stack);
  return copy;
}

function copyOf(error: Error, redact: Redact, options: ErrorOptions): Error {
  const message = redact(error.message);
  if (error instanceof ManagerError) {
    const { code, server, rpc, retryAfterMs, retryable } = error;
    const stderrTail = error.stderrTail.map(redact);
    const shown = rpc && { code: rpc.code, message: redact(rpc.message), data: redactData(rpc.data, redact) };
    return new ManagerError(code, message, { ...options, server, stderrTail, rpc: shown, retryAfterMs, retryable });
  }
  const copy = Object.assign(new Error(message, options), { name: error.name });
  const { code, data } = error as { code?: unknown; data?: unknown };
  if (code !== undefined) Object.assign(copy, { code: redactData(code, redact) });
  if (data !== undefined) Object.assign(copy, { data: redactData(data, redact) });
  return copy;
}
