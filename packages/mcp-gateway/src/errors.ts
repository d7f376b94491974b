import { isBranded } from '@x/internal/errors';
import { isRefusal } from '@x/internal/views';

/** All failures that this package itself reports. Part of the public API. */
export type GatewayErrorCode =
  /** With `as-is` names, no tool of the view has this one. */
  | 'unknown-tool'
  /** The server that a view is mounted on has a tool of the same name. */
  | 'duplicate-tool'
  /** The cursor belongs to no page of this listing. */
  | 'invalid-cursor'
  /** The keys for checking tokens are unavailable at the authorization server; `cause` says why. */
  | 'keys-unavailable'
  /** A client over stdio reads too slowly, so its connection was ended. */
  | 'client-stalled';

/** Facts of a failure beside its code and message. */
export interface GatewayErrorOptions extends ErrorOptions {
  readonly tool?: string | undefined;
}

const brand = Symbol.for('@x/mcp-gateway.error');

/** A failure that this package itself reports. `code` is part of the public API; `message` is for people. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly [brand] = true;
  readonly code: GatewayErrorCode;
  /** With `unknown-tool` and `duplicate-tool`: the name of the tool. */
  readonly tool: string | undefined;

  constructor(code: GatewayErrorCode, message: string, { tool, ...options }: GatewayErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.tool = tool;
  }
}

/** Also true for an error of another installed copy of this package. */
export function isGatewayError(value: unknown): value is GatewayError {
  return isBranded(value, brand);
}

/** True if a view has refused a request: a registry's, or one of this package over it. */
export function isRefused(value: unknown): value is Error & { readonly code: string } {
  return isRefusal(value) || isGatewayError(value);
}
