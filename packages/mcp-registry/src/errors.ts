/** Every kind of failure that the registry itself reports. Part of the public API. */
export type RegistryErrorCode =
  /** The view has no tool of that name; a tool that its role may not use is no different. */
  | 'unknown-tool'
  /** A source of that name is attached already. */
  | 'duplicate-source'
  /** A native tool of that name is registered already. */
  | 'duplicate-tool'
  /** The regular expression cannot be compiled, or takes too long; `position` and `reason` say why. */
  | 'invalid-pattern'
  /** The search query is longer than a search takes. */
  | 'invalid-query'
  /** The arguments of a call are not an object. */
  | 'invalid-arguments'
  /** The call's `timeoutMs` is over. */
  | 'timed-out'
  /** The registry is closed. */
  | 'closed';

export interface RegistryErrorOptions extends ErrorOptions {
  readonly tool?: string | undefined;
  readonly suggestions?: readonly string[] | undefined;
  readonly position?: number | undefined;
  readonly reason?: string | undefined;
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

  constructor(
    code: RegistryErrorCode,
    message: string,
    { tool, suggestions = [], position, reason, ...options }: RegistryErrorOptions = {},
  ) {
    super(message, options);
    this.code = code;
    this.tool = tool;
    this.suggestions = suggestions;
    this.position = position;
    this.reason = reason;
  }
}

/** Also true for an error made by another installed copy of this package. */
export function isRegistryError(value: unknown): value is RegistryError {
  return value instanceof Error && brand in value;
}
