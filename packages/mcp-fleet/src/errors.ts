import type { RpcError } from '@x/internal/contracts';
import { isBranded } from '@x/internal/errors';

/** Every kind of failure that the fleet itself reports. Part of the public API. */
export type FleetErrorCode =
  /** The bus cannot be reached right now. What was asked has not been sent. */
  | 'bus-down'
  /** The bus forbids it to this node. */
  | 'forbidden'
  /** The bus lacks what a fleet needs; the message says what, and how to have it. */
  | 'unsuitable-bus'
  /** A key in the fleet's bucket was changed by somebody else meanwhile. */
  | 'conflict'
  /** Another node of that name is alive: a clone, or a copied configuration. */
  | 'node-taken'
  /** This node's name was taken over while the bus could not be reached; this fleet publishes nothing any more. */
  | 'superseded'
  /** The node that is to be forgotten is there, or has come back meanwhile. It keeps what it has. */
  | 'node-alive'
  /** This runtime lacks what a node signs its calls with. */
  | 'unsuitable-runtime'
  /** No node of the fleet offers that server. */
  | 'unknown-server'
  /** The server has no such tool, as its own node says. */
  | 'unknown-tool'
  /** The node that has the server does not answer. The call was not delivered. */
  | 'node-unreachable'
  /** The owner had accepted the call and went away: it may or may not have had its effect. */
  | 'outcome-unknown'
  /** The owner does not accept for whom the call is made. */
  | 'refused'
  /** The owner has as many calls of this node as it takes. Nothing was run. */
  | 'busy'
  | 'timed-out'
  /** The call was cancelled by somebody else than its caller. */
  | 'cancelled'
  /** Longer than the bus or the fleet's own limit allows. */
  | 'message-too-large'
  | 'result-too-large'
  /** The other side sent what this version of the protocol does not know. */
  | 'invalid-message'
  /** What the owner's source threw; `cause` has its name, message and code. */
  | 'source-error'
  | 'closed';

/** What is known of a failure beside its code and message. */
export interface FleetErrorOptions extends ErrorOptions {
  readonly node?: string | undefined;
  readonly server?: string | undefined;
  readonly retryable?: boolean | undefined;
  /** With `source-error`: the `code` of the error that the owner's source threw. */
  readonly sourceCode?: string | number | undefined;
  /** With `source-error`: the JSON-RPC error that the owner's source was answered with. */
  readonly rpc?: RpcError | undefined;
}

const brand = Symbol.for('@x/mcp-fleet.error');

/** Failures that may pass by themselves, and that nothing was run for. */
const retryableCodes: ReadonlySet<FleetErrorCode> = new Set(['bus-down', 'busy', 'node-unreachable']);

/** Every failure the fleet itself reports. `code` is part of the public API; `message` is for people. */
export class FleetError extends Error {
  override readonly name = 'FleetError';
  readonly [brand] = true;
  readonly code: FleetErrorCode;
  /** The node that the failure is about. */
  readonly node: string | undefined;
  readonly server: string | undefined;
  /** Whether the same call, made again, may go well and cannot take effect twice. */
  readonly retryable: boolean;
  readonly sourceCode: string | number | undefined;
  readonly rpc: RpcError | undefined;

  constructor(
    code: FleetErrorCode,
    message: string,
    { node, server, retryable, sourceCode, rpc, ...options }: FleetErrorOptions = {},
  ) {
    super(message, options);
    this.code = code;
    this.node = node;
    this.server = server;
    this.retryable = retryable ?? retryableCodes.has(code);
    this.sourceCode = sourceCode;
    this.rpc = rpc;
  }

  /** What `JSON.stringify` writes: the message, too, and neither the stack nor the cause. */
  toJSON(): { readonly code: FleetErrorCode; readonly message: string } & Pick<
    FleetError,
    'node' | 'server' | 'retryable'
  > {
    const { code, message, node, server, retryable } = this;
    return { code, message, node, server, retryable };
  }
}

/** Also true for an error made by another installed copy of this package. */
export function isFleetError(value: unknown): value is FleetError {
  return isBranded(value, brand);
}
