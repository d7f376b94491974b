import { isRecord } from '@x/internal/json';
import { milliseconds, optionTable, refuseUnknownKeys, requireObject } from '@x/internal/options';
import type { CallHandler } from '../session/server-requests/call-handler.js';
import type { ToolProgress } from '../session/session.js';

/** Options of one request. */
export interface RequestOptions {
  /** Cancels the request on the server; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Longest wait for the result in milliseconds, including queue and server start. Excludes responses of `handler`, up
   * to half an hour. Default `callTimeoutMs` of the manager.
   */
  readonly timeoutMs?: number | undefined;
  /** See `CallOptions`. Default `limits.queueTimeoutMs` of the spec. */
  readonly queueTimeoutMs?: number | undefined;
  /** Called for each progress notification. Progress does not extend the deadline. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Sent as `_meta`, such as `traceparent`. The key `progressToken` is reserved. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Responds to server requests during this request. Default: the manager's `handlers`. */
  readonly handler?: CallHandler | undefined;
  /** See `CallOptions`. */
  readonly caller?: CallCaller | undefined;
}

/** Options of one call. */
export interface CallOptions {
  /** Cancels the call on the server; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Longest wait for the result in milliseconds, including queue and server start. Excludes responses of `handler`, up
   * to half an hour. Default `callTimeoutMs` of the manager.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Longest wait in the server's queue in milliseconds; then the call fails with `busy`, unsent. Never extends
   * `timeoutMs`. Default `limits.queueTimeoutMs` of the spec.
   */
  readonly queueTimeoutMs?: number | undefined;
  /**
   * Longest silence of the server in milliseconds after the request was sent; progress notifications restart it. Never
   * extends `timeoutMs`. Default: no limit.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** Called for each progress notification. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /**
   * Reaction to a connection that is lost after the request was sent. `never` (default): fail with `outcome-unknown`.
   * `if-safe`: repeat the call once if the tool has `readOnlyHint` or `idempotentHint` and the spec says `trusted`.
   */
  readonly repeat?: 'never' | 'if-safe' | undefined;
  /** Sent as `_meta`, such as `traceparent`. The key `progressToken` is reserved. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Params beside `name`, `arguments` and `_meta`: `inputResponses` and `requestState` of an earlier result, or `task`.
   * Such a call is never repeated, and results with an input request or a task come back unchanged. Default: none.
   */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Input requests of revision 2026-07-28. `answer` (default): `handler` responds, or else the manager's `handlers`.
   * `return`: the result comes back unchanged, with `resultType: 'input_required'`.
   */
  readonly inputRequired?: 'answer' | 'return' | undefined;
  /** Responds to server requests during this call. Default: the manager's `handlers`. */
  readonly handler?: CallHandler | undefined;
  /** The server's queue is shared among callers. Default: the client of `handler`, or an anonymous caller. */
  readonly caller?: CallCaller | undefined;
}

const options = optionTable<CallOptions>()({
  signal: { kind: 'signal' },
  timeoutMs: milliseconds,
  queueTimeoutMs: milliseconds,
  idleTimeoutMs: milliseconds,
  onProgress: { kind: 'function' },
  repeat: { kind: 'word', words: ['never', 'if-safe'], default: 'never' },
  meta: { kind: 'object' },
  params: { kind: 'other' },
  inputRequired: { kind: 'word', words: ['answer', 'return'] },
  handler: { kind: 'other' },
  caller: { kind: 'object' },
});

export type RequestPolicy = ReturnType<(typeof options)['read']> & { readonly timeoutMs: number };

/** @throws {TypeError} Names the option that is misspelt or out of bounds. */
export function resolvePolicy(given: CallOptions, { callTimeoutMs }: { callTimeoutMs: number }): RequestPolicy {
  const policy = options.read(given);
  if (policy.handler !== undefined) requireHandler(policy.handler);
  if (policy.params !== undefined) requireOtherParams(policy.params);
  return policy.timeoutMs === undefined ? { ...policy, timeoutMs: callTimeoutMs } : (policy as RequestPolicy);
}

const requestOptions = [
  'signal',
  'timeoutMs',
  'queueTimeoutMs',
  'onProgress',
  'meta',
  'inputRequired',
  'handler',
  'caller',
] as const satisfies readonly (keyof CallOptions)[];

/** @throws {TypeError} Names an option that requests other than calls do not have. */
export function requireRequestOptions(given: object): void {
  requireObject('options', given, requestOptions);
  refuseUnknownKeys(given, requestOptions);
}

function requireHandler(handler: CallHandler): void {
  if (typeof handler?.answer !== 'function') throw new TypeError('handler.answer must be a function');
  if (!isRecord(handler.capabilities)) throw new TypeError('handler.capabilities must be an object');
}

const ownParams = ['name', 'arguments', '_meta'];

function requireOtherParams(params: unknown): void {
  if (!isRecord(params)) throw new TypeError('params must be an object');
  const twice = ownParams.find((name) => Object.hasOwn(params, name));
  if (twice !== undefined)
    throw new TypeError(`params.${twice} is set by the call itself and must not be in its params`);
}

/** The caller of a call or another request. */
export interface CallCaller {
  readonly role?: string | undefined;
  readonly principal?: string | undefined;
}

/** Compared with `===`; `undefined`: anonymous. */
export function queueKeyOf({
  handler,
  caller,
}: {
  readonly handler: CallHandler | undefined;
  readonly caller: CallCaller | undefined;
}): unknown {
  const { principal, role } = caller ?? {};
  if (handler?.owner !== undefined) return handler.owner;
  if (principal !== undefined) return principal;
  if (handler !== undefined) return handler.client;
  return role === undefined ? undefined : `role ${role}`;
}
