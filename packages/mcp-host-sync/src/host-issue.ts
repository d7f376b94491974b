import type { HostFileErrorCode } from './host-error.js';
import type { Sealed } from './sealed.js';

/**
 * What keeps a server from being written or read as declared; `docs/errors/host-files.md` has each.
 *
 * - of a server that is to be written: `remote-not-supported`, `variables-not-supported`, `unset-variable`,
 *   `malformed-variable`, `looks-like-variable`, `name-not-supported`, `command-not-supported`, `field-not-supported`,
 *   `shim-in-project-file`, `keyring-variable`, `secret-in-arguments`, `secret-in-project-file`, `secret-not-resolved`
 * - of an entry that is read: `not-understood`, `host-variable`, `field-not-supported`
 * - of a host or its file: `file-not-edited`, `legacy-host`, `shared-file`, `several-files`
 */
export type HostIssueCode =
  | 'command-not-supported'
  | 'field-not-supported'
  | 'file-not-edited'
  | 'host-variable'
  | 'keyring-variable'
  | 'legacy-host'
  | 'looks-like-variable'
  | 'malformed-variable'
  | 'name-not-supported'
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

/** One thing that people should know. An `error` means that the server, or the whole file, was left out. */
export interface HostIssue {
  readonly code: HostIssueCode;
  readonly severity: 'error' | 'warning';
  readonly host: string;
  /** The server's name, unless the issue is about the file. */
  readonly server?: string | undefined;
  readonly file?: string | undefined;
  /** Of `file-not-edited`: the code that reading the file alone would throw. */
  readonly reason?: HostFileErrorCode | undefined;
  /** Where in the file, both from 1. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /**
   * Of `file-not-edited`: what to add by hand, as the smallest document of the host's dialect. It is given by `open()`
   * alone, since it holds the entries as they would be written, secrets too.
   */
  readonly manualSnippet?: Sealed<string> | undefined;
  /** One line for people, without control characters or secret values; may improve in any release. */
  readonly message: string;
  readonly hint?: string | undefined;
}

/** An issue before it is known which host and server it belongs to. */
export type HostFault = Pick<HostIssue, 'code' | 'severity' | 'message' | 'hint'>;
