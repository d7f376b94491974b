import { isBranded } from '@x/internal/errors';
import type { SchemaFault } from '@x/internal/json-schema';

/** All failures that the registry itself reports. Part of the public API. */
export type RegistryErrorCode =
  /** The view has no tool of that name. A tool that its role may not use fails in the same way. */
  | 'unknown-tool'
  /** A source of that name is already attached. */
  | 'duplicate-source'
  /** A native tool of that name is already registered. */
  | 'duplicate-tool'
  /** The regular expression cannot be compiled, or is too large; `reason` and `position` say why and where. */
  | 'invalid-pattern'
  /** The search query is too long. */
  | 'invalid-query'
  /** The search cursor belongs to another search, or the tools have changed since; search again without it. */
  | 'invalid-cursor'
  /** The pins of tools could not be read or saved; `cause` says why. No tool became trusted. */
  | 'pin-store-failed'
  /**
   * A tool cannot be approved, because its name contains a secret or one of its fields cannot be redacted; `reason`
   * says which.
   */
  | 'unapprovable-tool'
  /** A tool has changed between reading and approving. */
  | 'changed-since-read'
  /** The arguments of a call do not fit the tool's input schema, as `faults` say; the tool has not run. */
  | 'invalid-arguments'
  /** A source returned a value that is not a tool result; the tool may have had its effect. */
  | 'invalid-result'
  /** The call exceeded its `timeoutMs`. */
  | 'timed-out'
  /** The audit log's file cannot be written; `cause` says why. */
  | 'audit-log-failed'
  /** The registry is closed. */
  | 'closed';

/** Facts of a failure beside its code and message. */
export interface RegistryErrorOptions extends ErrorOptions {
  readonly tool?: string | undefined;
  readonly suggestions?: readonly string[] | undefined;
  readonly position?: number | undefined;
  readonly reason?: string | undefined;
  readonly faults?: readonly SchemaFault[] | undefined;
}

const brand = Symbol.for('@x/mcp-registry.error');

/** A failure that the registry itself reports. `code` is part of the public API; `message` is for people. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly [brand] = true;
  readonly code: RegistryErrorCode;
  /** The requested tool, under the name that was used. */
  readonly tool: string | undefined;
  /** With `unknown-tool`: similar public names, best first. */
  readonly suggestions: readonly string[];
  /** With `invalid-pattern`: index of the fault in the pattern, if known. */
  readonly position: number | undefined;
  /** With `invalid-pattern`: the fault, without the pattern around it. */
  readonly reason: string | undefined;
  /** With `invalid-arguments`: the faults, at most ten. Contains no given value. */
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
