import type { HostFileErrorCode } from './host-error.js';
import type { Sealed } from './sealed.js';

/**
 * Problems with a server, an entry or a file; `docs/errors/host-files.md` describes each.
 *
 * - Server to write: `remote-not-supported`, `variables-not-supported`, `unset-variable`, `malformed-variable`,
 *   `looks-like-variable`, `name-not-supported`, `command-not-supported`, `field-not-supported`,
 *   `shim-in-project-file`, `keyring-variable`, `secret-in-arguments`, `secret-in-project-file`, `secret-not-resolved`
 * - Entry that is read: `not-understood`, `host-variable`, `field-not-supported`
 * - Entry that stays beside one that was to replace it: `not-served`
 * - Host or file: `conditional-file`, `file-not-edited`, `legacy-host`, `shared-file`, `several-files`
 */
export type HostIssueCode =
  | 'command-not-supported'
  | 'conditional-file'
  | 'field-not-supported'
  | 'file-not-edited'
  | 'host-variable'
  | 'keyring-variable'
  | 'legacy-host'
  | 'looks-like-variable'
  | 'malformed-variable'
  | 'name-not-supported'
  | 'not-served'
  | 'not-understood'
  | 'remote-not-supported'
  | 'secret-in-arguments'
  | 'secret-in-project-file'
  | 'secret-not-resolved'
  | 'several-files'
  | 'shared-file'
  | 'shim-in-project-file'
  | 'unset-variable'
  | 'variables-not-supported';

/** Problem for the user. An `error` leaves out the server or the whole file. */
export interface HostIssue {
  readonly code: HostIssueCode;
  readonly severity: 'error' | 'warning';
  readonly host: string;
  /** Missing if the issue concerns the file. */
  readonly server?: string | undefined;
  readonly file?: string | undefined;
  /** For `file-not-edited`: the code of the underlying error. */
  readonly reason?: HostFileErrorCode | undefined;
  /** Position in the file. Line and column start at 1. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** For `file-not-edited`: the entries as a minimal document, to add by hand. May contain secrets. */
  readonly manualSnippet?: Sealed<string> | undefined;
  /** One line for people, without secrets. May change in any release. */
  readonly message: string;
  readonly hint?: string | undefined;
}

export type HostFault = Pick<HostIssue, 'code' | 'severity' | 'message' | 'hint'>;
