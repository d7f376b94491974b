import { isBranded } from '@x/internal/errors';
import { isRefusal } from '@x/internal/views';

/** Every kind of failure that this package itself reports. Part of the public API. */
export type GatewayErrorCode =
  /** Names are as servers chose them, and no tool of the view has this one. */
  | 'unknown-tool'
  /** The server that a view is mounted on has a tool of the same name itself. */
  | 'duplicate-tool'
  /** The cursor belongs to no page of this listing. */
  | 'invalid-cursor'
  /** The keys that tokens are checked with cannot be had from the authorization server; `cause` says why. */
  | 'keys-unavailable'
  /** A client over stdio takes too little of what is sent to it, so that its connection was ended. */
  | 'client-stalled';

/** What is known of a failure beside its code and message. */
export interface GatewayErrorOptions extends ErrorOptions {
  readonly tool?: string | undefined;
}

const brand = Symbol.for('@x/mcp-gateway.error');

/** Every failure that this package itself reports. `code` is part of the public API; `message` is for people. */
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

/** Also true for an error made by another installed copy of this package. */
export function isGatewayError(value: unknown): value is GatewayError {
  return isBranded(value, brand);
}

/** Whether a view has refused something: one of a registry, or one of this package over it. */
export function isRefused(value: unknown): value is Error & { readonly code: string } {
  return isRefusal(value) || isGatewayError(value);
}
