import { requireOneOf, requireTimeout } from '../bounds.js';
import type { ToolProgress } from '../session/session.js';

export interface CallOptions {
  /** Ends the call: the server is told, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Longest wait for the result in milliseconds, counted from the call on: waiting for a turn and for the server's
   * start included. Nothing extends it. Default `callTimeoutMs` of the manager.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Longest wait for a turn among the server's other calls in milliseconds; it fails with `busy` then, and was not sent.
   * It never extends `timeoutMs`. Default `queueTimeoutMs` of the server's spec.
   */
  readonly queueTimeoutMs?: number | undefined;
  /**
   * Longest silence of the server in milliseconds, counted from when the request was sent; each progress notification
   * begins it anew. It never extends `timeoutMs`. Default: as long as that.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** Called for each progress notification of this call. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /**
   * What to do when the connection is lost after the request was sent, so that nobody knows whether the call had its
   * effect. `never` (default): fail with `outcome-unknown`. `if-safe`: make the call once more if the tool says that it
   * only reads or may run twice (`readOnlyHint`, `idempotentHint`) and the server's spec says that it is `trusted`.
   */
  readonly repeat?: 'never' | 'if-safe' | undefined;
  /** Sent along as `_meta`, such as `traceparent`. The key `progressToken` is the manager's own. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** One call with every default filled in. */
export interface CallPolicy {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly queueTimeoutMs: number | undefined;
  readonly idleTimeoutMs: number | undefined;
  readonly onProgress: ((progress: ToolProgress) => void) | undefined;
  readonly repeat: 'never' | 'if-safe';
  readonly meta: Readonly<Record<string, unknown>> | undefined;
}

/** @throws {TypeError} Names the option that is out of bounds. */
export function resolveCall(
  { signal, timeoutMs, queueTimeoutMs, idleTimeoutMs, onProgress, repeat = 'never', meta }: CallOptions,
  { callTimeoutMs }: { callTimeoutMs: number },
): CallPolicy {
  if (timeoutMs !== undefined) requireTimeout('timeoutMs', timeoutMs);
  if (queueTimeoutMs !== undefined) requireTimeout('queueTimeoutMs', queueTimeoutMs);
  if (idleTimeoutMs !== undefined) requireTimeout('idleTimeoutMs', idleTimeoutMs);
  if (repeat !== 'never') requireOneOf('repeat', repeat, ['never', 'if-safe']);
  return { signal, timeoutMs: timeoutMs ?? callTimeoutMs, queueTimeoutMs, idleTimeoutMs, onProgress, repeat, meta };
}
