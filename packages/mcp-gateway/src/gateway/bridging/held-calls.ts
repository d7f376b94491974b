import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isRecord, isSameJson } from '@x/internal/json';
import { inBackground } from '../../timers.js';
import { HeldCall, type HeldCallOptions } from './held-call.js';

export interface HeldCallLimits {
  /** Time for a client to continue a call, in milliseconds. */
  readonly timeoutMs: number;
  readonly max: number;
  readonly maxPerCaller: number;
}

export const HELD_CALLS: HeldCallLimits = { timeoutMs: 300_000, max: 1_000, maxPerCaller: 32 };

type AnyCall = HeldCall<unknown>;

interface Waiting {
  readonly call: AnyCall;
  readonly asker: CallerIdentity;
  readonly asked: RequestIdentity;
  readonly timer: ReturnType<typeof setTimeout>;
  /** Called when the call no longer waits. */
  readonly release: (() => void) | undefined;
}

const PREFIX = 'mcp-gateway-call:';
const HANDLE_BYTES = 32;
/** Error code from JSON-RPC's range for implementations, as in client managers. */
const TOO_MANY = -32_093;

/**
 * The calls that wait for their clients. An unguessable handle finds each call once, for its own caller and the same
 * request.
 */
export class HeldCalls {
  readonly #limits: HeldCallLimits;
  /** Waiting calls by handle. */
  readonly #waiting = new Map<string, Waiting>();
  /** Callers of calls with open server requests. */
  readonly #admitted = new Map<AnyCall, unknown>();

  constructor(limits: HeldCallLimits) {
    this.#limits = limits;
  }

  open<Result>(
    { caller }: CallerIdentity,
    options: Omit<HeldCallOptions, 'onFirstRequest' | 'onOver'>,
  ): HeldCall<Result> {
    const call = new HeldCall<Result>({
      ...options,
      onFirstRequest: () => this.#admit(call as AnyCall, caller),
      onOver: () => {
        // Keeps the place while the result waits for the client.
        if (!this.#isWaiting(call as AnyCall)) this.#admitted.delete(call as AnyCall);
      },
    });
    return call;
  }

  /** Returns the handle with which the client continues the call. */
  add(call: AnyCall, asker: CallerIdentity, { asked, release }: Pick<Waiting, 'asked' | 'release'>): string {
    const handle = newHandle();
    const timer = inBackground(setTimeout(() => this.#expire(handle), this.#limits.timeoutMs));
    this.#waiting.set(handle, { call, asker, asked, timer, release });
    return handle;
  }

  /** True for a request with the handle of a waiting call, of any caller. */
  isContinuedBy(message: object): boolean {
    const { params } = message as { readonly params?: unknown };
    return isRecord(params) && typeof params.requestState === 'string' && this.#waiting.has(params.requestState);
  }

  find(handle: string, asker: CallerIdentity, asked: RequestIdentity): AnyCall | undefined {
    const waiting = this.#waiting.get(handle);
    if (waiting === undefined || !isSameCaller(waiting.asker, asker) || !isSameRequest(waiting.asked, asked)) return;
    return waiting.call;
  }

  /** Uses up the handle. */
  remove(handle: string): void {
    const waiting = this.#waiting.get(handle);
    clearTimeout(waiting?.timer);
    this.#waiting.delete(handle);
    waiting?.release?.();
    if (waiting?.call.isOver) this.#admitted.delete(waiting.call);
  }

  endOf(caller: unknown): void {
    for (const [handle, { asker, call }] of this.#waiting) {
      if (asker.caller === caller) this.#drop(handle, call, new Error('The client has gone'));
    }
  }

  close(): void {
    for (const [handle, { call }] of this.#waiting) this.#drop(handle, call, new Error('The gateway is closed'));
  }

  #expire(handle: string): void {
    const call = this.#waiting.get(handle)?.call;
    if (call === undefined) return;
    this.#drop(handle, call, new Error(`The client did not return within ${this.#limits.timeoutMs} milliseconds`));
  }

  #drop(handle: string, call: AnyCall, reason: Error): void {
    this.remove(handle);
    call.end(reason);
  }

  #isWaiting(call: AnyCall): boolean {
    return Array.from(this.#waiting.values()).some((waiting) => waiting.call === call);
  }

  #admit(call: AnyCall, caller: unknown): void {
    const { max, maxPerCaller } = this.#limits;
    const ofCaller = Array.from(this.#admitted.values()).filter((other) => other === caller).length;
    // No limit per caller for anonymous requests, which cannot be distinguished.
    if (this.#admitted.size >= max || (caller !== undefined && ofCaller >= maxPerCaller)) {
      throw new ProtocolError(TOO_MANY, 'Too many calls wait for input, of this client or of all clients; retry later');
    }
    this.#admitted.set(call, caller);
  }
}

/** True for the form of a handle, perhaps of another gateway behind this one. */
export function isHandle(state: string): boolean {
  return state.startsWith(PREFIX);
}

/** The same error for an unknown, expired or foreign state. */
export function invalidState(): ProtocolError {
  const message = 'Invalid or expired requestState; make the request again without it';
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { reason: 'invalid_request_state' });
}

function newHandle(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(HANDLE_BYTES));
  return `${PREFIX}${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** The part of a request that one that continues it must repeat. */
export interface RequestIdentity {
  readonly method: string;
  readonly name: string;
  readonly args: unknown;
}

export interface CallerIdentity {
  /** The client's connection, or its principal. `undefined` for anonymous requests. */
  readonly caller: unknown;
  /** The token's owner, and the rights: role, principal and servers. */
  readonly scope: string;
}

function isSameRequest(left: RequestIdentity, right: RequestIdentity): boolean {
  return left.method === right.method && left.name === right.name && isSameJson(left.args, right.args);
}

function isSameCaller(left: CallerIdentity, right: CallerIdentity): boolean {
  return left.caller === right.caller && left.scope === right.scope;
}
