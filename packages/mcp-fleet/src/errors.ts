import type { RpcError } from '@x/internal/contracts';
import { isBranded } from '@x/internal/errors';

/** Codes of all errors that the fleet itself raises. */
export type FleetErrorCode =
  /** The bus is unreachable. Nothing was sent. */
  | 'bus-down'
  /** The bus refuses this node the operation. */
  | 'forbidden'
  /** The bus lacks a feature that a fleet needs. */
  | 'unsuitable-bus'
  /** Another writer changed the key of the fleet's bucket. */
  | 'conflict'
  /** Another live process uses this node's name: a clone, or a copied configuration. */
  | 'node-taken'
  /** Another process took this node's name while the bus was down. */
  | 'superseded'
  /** The node to forget is alive and keeps its records. */
  | 'node-alive'
  /** The runtime lacks Ed25519, which signs calls. */
  | 'unsuitable-runtime'
  /** No node of the fleet offers the server. */
  | 'unknown-server'
  /** The owner reports that the server has no such tool. */
  | 'unknown-tool'
  /** The node that owns the server does not respond. The call was not delivered. */
  | 'node-unreachable'
  /** The owner was lost after the call was sent: the tool may or may not have run. */
  | 'outcome-unknown'
  /** The owner rejects the principal of the call. */
  | 'refused'
  /** The owner has as many calls from this node as it allows. Nothing was run. */
  | 'busy'
  | 'timed-out'
  /** The call was cancelled, but not by its caller. */
  | 'cancelled'
  /** A message exceeds the limit of the bus or of the fleet. */
  | 'message-too-large'
  | 'result-too-large'
  /** The other side sent a message that this protocol version cannot read. */
  | 'invalid-message'
  /** The owner's source threw; `cause` has its name, message and code. */
  | 'source-error'
  | 'closed';

/** Facts of a failure beside its code and message. */
export interface FleetErrorOptions extends ErrorOptions {
  readonly node?: string | undefined;
  readonly server?: string | undefined;
  readonly retryable?: boolean | undefined;
  /** For `source-error`: `code` of the error that the owner's source threw. */
  readonly sourceCode?: string | number | undefined;
  /** For `source-error`: JSON-RPC error that the owner's source received. */
  readonly rpc?: RpcError | undefined;
}

const brand = Symbol.for('@x/mcp-fleet.error');

/** Temporary failures that occur before anything runs. */
const retryableCodes: ReadonlySet<FleetErrorCode> = new Set(['bus-down', 'busy', 'node-unreachable']);

/** Error of the fleet itself. `code` is public API; `message` is for people. */
export class FleetError extends Error {
  override readonly name = 'FleetError';
  readonly [brand] = true;
  readonly code: FleetErrorCode;
  /** Node that the failure concerns. */
  readonly node: string | undefined;
  readonly server: string | undefined;
  /** True if the same call may succeed later and cannot take effect twice. */
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

  /** Form in JSON: without stack and cause. */
  toJSON(): { readonly code: FleetErrorCode; readonly message: string } & Pick<
    FleetError,
    'node' | 'server' | 'retryable'
  > {
    const { code, message, node, server, retryable } = this;
    return { code, message, node, server, retryable };
  }
}

/** Also true for errors from another installed copy of this package. */
export function isFleetError(value: unknown): value is FleetError {
  return isBranded(value, brand);
}
