import { isBranded } from '@x/internal/errors';

/**
 * - `unreadable-document`: the text is invalid in the host's syntax, at `line` and `column`.
 * - `unsupported-shape`: the text cannot be edited safely (repeated keys, YAML anchors, a list in place of a map);
 *   `manualSnippet` is the text to add by hand.
 * - `unknown-host`, `invalid-location`: the host does not exist, or its file cannot be located.
 * - `outside-expected-place`, `not-a-file`, `broken-link`, `hard-link`, `foreign-owner`: the file must not be changed.
 * - `unreadable-file`, `not-text`, `too-large`: the file cannot be read as text.
 * - `read-only`, `no-space`, `write-failed`: the file cannot be written and is unchanged.
 * - `locked`: another process had the lock for too long.
 * - `changed-since-plan`: the file differs from the planned one.
 * - `invalid-state`: the record of written entries is damaged.
 */
export type HostFileErrorCode =
  | 'broken-link'
  | 'changed-since-plan'
  | 'foreign-owner'
  | 'hard-link'
  | 'invalid-location'
  | 'invalid-state'
  | 'locked'
  | 'no-space'
  | 'not-a-file'
  | 'not-text'
  | 'outside-expected-place'
  | 'read-only'
  | 'too-large'
  | 'unknown-host'
  | 'unreadable-document'
  | 'unreadable-file'
  | 'unsupported-shape'
  | 'write-failed';

/**
 * The missing part of an `invalid-location`: a project in `place`, a file of the host on this platform, a folder of the host that
 * only the host makes, or an absolute path in a variable.
 */
export type MissingLocation = 'project' | 'platform' | 'folder' | 'absolute-path';

/** Facts of a failure beside its code and message. */
export interface HostFileErrorDetails extends ErrorOptions {
  readonly file?: string | undefined;
  readonly missing?: MissingLocation | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly manualSnippet?: string | undefined;
}

const brand = Symbol.for('mcp-host-sync.error');

/** Failure to read or edit a host's file. `code` is public API; `message` is for people. */
export class HostFileError extends Error {
  override readonly name = 'HostFileError';
  readonly [brand] = true;
  readonly code: HostFileErrorCode;
  /** The requested path, if the failure concerns one file. */
  readonly file: string | undefined;
  /** For `invalid-location`: what there is none of. */
  readonly missing: MissingLocation | undefined;
  /** Position in the text. Line and column start at 1. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly #manualSnippet: string | undefined;

  constructor(
    code: HostFileErrorCode,
    message: string,
    { file, missing, line, column, manualSnippet, ...options }: HostFileErrorDetails = {},
  ) {
    super(message, options);
    this.code = code;
    this.file = file;
    this.missing = missing;
    this.line = line;
    this.column = column;
    this.#manualSnippet = manualSnippet;
  }

  /**
   * Rejected entry as a minimal document in the host's dialect, to add by hand. May contain secrets, so printed and
   * serialized errors omit it.
   */
  get manualSnippet(): string | undefined {
    return this.#manualSnippet;
  }
}

/** Adds the file to an error without one, and prefixes its message with the position. */
export function inFile(error: HostFileError, file: string): HostFileError {
  if (error.file !== undefined) return error;
  const { code, message, missing, line, column, manualSnippet, cause } = error;
  const location = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return new HostFileError(code, `${location}: ${message}`, { file, missing, line, column, manualSnippet, cause });
}

/** True also for errors of another installed copy of this package. */
export function isHostFileError(value: unknown): value is HostFileError {
  return isBranded(value, brand);
}
