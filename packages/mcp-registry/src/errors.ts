import { isBranded } from '@x/internal/errors';
import type { SchemaFault } from '@x/internal/json-schema';

/** Every kind of failure that the registry itself reports. Part of the public API. */
export type RegistryErrorCode =
  /** The view has no tool of that name; a tool that its role may not use is no different. */
  | 'unknown-tool'
  /** A source of that name is attached already. */
  | 'duplicate-source'
  /** A native tool of that name is registered already. */
  | 'duplicate-tool'
  /** The regular expression cannot be compiled, or would be too large; `reason` and `position` say why and where. */
  | 'invalid-pattern'
  /** The search query is longer than a search takes. */
  | 'invalid-query'
  /** The search cursor belongs to another search, or the tools have changed since; search again without it. */
  | 'invalid-cursor'
  /** The pins of tools could not be read or kept; `cause` says why. Nothing became trusted by it. */
  | 'pin-store-failed'
  /** A tool cannot be approved, because its name holds a secret or one of its fields cannot be redacted; `reason` says which. */
  | 'unapprovable-tool'
  /** A tool that was to be approved is not any more what was read. */
  | 'changed-since-read'
  /** The arguments of a call do not fit the tool's input schema, as `faults` say; the tool has not run. */
  | 'invalid-arguments'
  /** A source answered a call with what is no tool result; the tool may have had its effect. */
  | 'invalid-result'
  /** The call's `timeoutMs` is over. */
  | 'timed-out'
  /** The audit log's file cannot be written; `cause` says why. */
  | 'audit-log-failed'
  /** The registry is closed. */
  | 'closed';

/** What is known of a failure beside its code and message. */
export interface RegistryErrorOptions extends ErrorOptions {
  readonly tool?: string | undefined;
  readonly suggestions?: readonly string[] | undefined;
  readonly position?: number | undefined;
  readonly reason?: string | undefined;
  readonly faults?: readonly SchemaFault[] | undefined;
}

const brand = Symbol.for('@x/mcp-registry.error');

/** Every failure that the registry itself reports. `code` is part of the public API; `message` is for people. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly [brand] = true;
  readonly code: RegistryErrorCode;
  /** The tool that was asked for, under the name that was used. */
  readonly tool: string | undefined;
  /** With `unknown-tool`: public names that may have been meant, best first. */
  readonly suggestions: readonly string[];
  /** With `invalid-pattern`: where the pattern goes wrong, as an index into it, where that is known. */
  readonly position: number | undefined;
  /** With `invalid-pattern`: what is wrong, without the pattern around it. */
  readonly reason: string | undefined;
  /** With `invalid-arguments`: what is wrong with them, at most ten. Tells no value that was given. */
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

/** Also true for an error made by another installed copy of this package. */
export function isRegistryError(value: unknown): value is RegistryError {
  return isBranded(value, brand);
}
