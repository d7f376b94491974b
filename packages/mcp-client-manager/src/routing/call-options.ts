import { isRecord } from '@x/internal/json';
import { milliseconds, optionTable } from '@x/internal/options';
import type { CallHost } from '../session/call-host.js';
import type { ToolProgress } from '../session/session.js';
import type { CallCaller } from './caller.js';

/** How one request is made. */
export interface RequestOptions {
  /** Ends the request: the server is told, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Longest wait for the result in milliseconds, waiting for a turn and for the server's start included; the time in which `host`
   * answers is not, up to half an hour. Default `callTimeoutMs` of the manager.
   */
  readonly timeoutMs?: number | undefined;
  /** As with `callTool`. Default `queueTimeoutMs` of the server's spec. */
  readonly queueTimeoutMs?: number | undefined;
  /** Called for each progress notification of this request. Progress does not extend the deadline. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Sent along as `_meta`, such as `traceparent`. The key `progressToken` is the manager's own. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Answers what the server asks of its client while it works on this request. Default: the manager's `handlers` do. */
  readonly host?: CallHost | undefined;
  /** As with `callTool`. */
  readonly caller?: CallCaller | undefined;
}

/** How one call is made. */
export interface CallOptions {
  /** Ends the call: the server is told, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Longest wait for the result in milliseconds, counted from the call on: waiting for a turn and for the server's
   * start included; the time in which `host` answers is not, up to half an hour. Nothing else extends it. Default
   * `callTimeoutMs` of the manager.
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
  /**
   * What the request's `params` say beside `name`, `arguments` and `_meta`: `inputResponses` and `requestState` of an earlier
   * result, or `task`. A call that has any is never repeated. A result that says what the server needs first, or which task it
   * has made of the call, then comes as it was sent. Default: nothing.
   */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /**
   * What to do when a server of revision 2026-07-28 needs something of its client first. `answer` (default): `host` is
   * asked, or else the manager's `handlers`. `return`: the result says so (`resultType: 'input_required'`), as it came.
   */
  readonly inputRequired?: 'answer' | 'return' | undefined;
  /** Answers what the server asks of its client while it works on this call. Default: the manager's `handlers` do. */
  readonly host?: CallHost | undefined;
  /** For whom the call is made: callers share the server's turns. Default: the client of `host`, or nobody in particular. */
  readonly caller?: CallCaller | undefined;
}

const options = optionTable<CallOptions>()({
  signal: { kind: 'object' },
  timeoutMs: milliseconds,
  queueTimeoutMs: milliseconds,
  idleTimeoutMs: milliseconds,
  onProgress: { kind: 'function' },
  repeat: { kind: 'word', words: ['never', 'if-safe'], default: 'never' },
  meta: { kind: 'object' },
  params: { kind: 'other' },
  inputRequired: { kind: 'word', words: ['answer', 'return'] },
  host: { kind: 'other' },
  caller: { kind: 'object' },
});

/** How one request is made, with every default filled in. */
export type RequestPolicy = ReturnType<(typeof options)['read']> & { readonly timeoutMs: number };

/** @throws {TypeError} Names the option that is misspelt or out of bounds. */
export function resolvePolicy(given: CallOptions, { callTimeoutMs }: { callTimeoutMs: number }): RequestPolicy {
  const policy = options.read(given);
  if (policy.host !== undefined) requireHost(policy.host);
  if (policy.params !== undefined) requireOtherParams(policy.params);
  return policy.timeoutMs === undefined ? { ...policy, timeoutMs: callTimeoutMs } : (policy as RequestPolicy);
}

/** @throws {TypeError} The server's questions could not be answered. */
function requireHost(host: CallHost): void {
  if (typeof host?.answer !== 'function') throw new TypeError('host.answer must be a function');
  if (!isRecord(host.capabilities)) throw new TypeError('host.capabilities must be an object');
}

/** What has an option of its own, or is an argument of the call, would say it twice. */
const ownParams = ['name', 'arguments', '_meta'];

function requireOtherParams(params: unknown): void {
  if (!isRecord(params)) throw new TypeError('params must be an object');
  const twice = ownParams.find((name) => Object.hasOwn(params, name));
  if (twice !== undefined)
    throw new TypeError(`params.${twice} is said by the call itself, and cannot be among its params`);
}
