import { isBranded } from '@x/internal/errors';
import type { SchemaFault } from '@x/internal/json-schema';

/** All failures that the registry itself reports. */
export type RegistryErrorCode =
  /** The view has no such tool. Hidden tools fail in the same way. */
  | 'unknown-tool'
  /** A source of that name is attached already. */
  | 'duplicate-source'
  /** A native tool of that name is registered already. */
  | 'duplicate-tool'
  /** The regular expression is invalid or too large; see `reason` and `position`. */
  | 'invalid-pattern'
  /** The search query is too long. */
  | 'invalid-query'
  /** The search cursor belongs to another search, or the tools have changed; search again without it. */
  | 'invalid-cursor'
  /** The pins could not be read or saved; `cause` says why. No tool became trusted. */
  | 'pin-store-failed'
  /** The tool's name contains a secret, or a field cannot be redacted; see `reason`. */
  | 'unapprovable-tool'
  /** A tool changed between reading and approving. */
  | 'changed-since-read'
  /** The arguments do not fit the tool's input schema; see `faults`. The tool has not run. */
  | 'invalid-arguments'
  /** A source returned no tool result; the tool may have had its effect. */
  | 'invalid-result'
  /** An interceptor refused the request; the message gives its reason. */
  | 'refused'
  /** The call exceeded its `timeoutMs`. */
  | 'timed-out'
  /** A feature needs an optional package that is not installed; the message names it. */
  | 'missing-package'
  /** The audit log's file cannot be written; `cause` says why. */
  | 'audit-log-failed'
  /** The registry is closed. */
  | 'closed';

/** Facts of a failure. */
export interface RegistryErrorOptions extends ErrorOptions {
  readonly tool?: string | undefined;
  readonly suggestions?: readonly string[] | undefined;
  readonly position?: number | undefined;
  readonly reason?: string | undefined;
  readonly faults?: readonly SchemaFault[] | undefined;
}

const brand = Symbol.for('@x/mcp-registry.error');

/** A failure of the registry itself. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly [brand] = true;
  readonly code: RegistryErrorCode;
  /** The requested name of the tool. */
  readonly tool: string | undefined;
  /** With `unknown-tool`: similar public names, best first. */
  readonly suggestions: readonly string[];
  /** With `invalid-pattern`: index of the fault, if known. */
  readonly position: number | undefined;
  /** With `invalid-pattern`: the fault alone. */
  readonly reason: string | undefined;
  /** With `invalid-arguments`: at most ten faults, without argument values. */
  readonly faults: readonly SchemaFault[];

  constructor(
    code: RegistryErrorCode,
    message: string,
    { tool, suggestions = [], position, reason, faults = [], ...options }: RegistryErrorOptions = {},
  ) {
    super(message, options);
    this.code = code;
    this.tool = tool;
    this.suggestions = suggestions;
    this.position = position;
    this.reason = reason;
    this.faults = faults;
  }
}

/** Also true for an error of another installed copy of this package. */
export function isRegistryError(value: unknown): value is RegistryError {
  return isBranded(value, brand);
}
