import { isRefusal } from '@x/internal/error-payloads';
import { isBranded } from '@x/internal/errors';

/** Codes of `GatewayError`. Part of the public API. */
export type GatewayErrorCode =
  /** No tool of the view has the name. Only with `as-is` names. */
  | 'unknown-tool'
  /** The server under a mount has a tool of the same name. */
  | 'duplicate-tool'
  /** The cursor was not issued by this listing. */
  | 'invalid-cursor'
  /** The authorization server's keys could not be fetched; see `cause`. */
  | 'keys-unavailable'
  /** A stdio client read too slowly, so its connection was ended. */
  | 'client-stalled';

/** Options of a `GatewayError`. */
export interface GatewayErrorOptions extends ErrorOptions {
  readonly tool?: string | undefined;
}

const brand = Symbol.for('@x/mcp-gateway.error');

/** A failure that this package reports. `code` is part of the public API; `message` is not. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly [brand] = true;
  readonly code: GatewayErrorCode;
  /** The tool's name, with `unknown-tool` and `duplicate-tool`. */
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

/** True if a view refused a request: a registry's view, or one of this package. */
export function isRefused(value: unknown): value is Error & { readonly code: string } {
  return isRefusal(value) || isGatewayError(value);
}
