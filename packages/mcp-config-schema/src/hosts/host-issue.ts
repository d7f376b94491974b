/**
 * What keeps a server from being written or read as declared; `docs/errors/host-files.md` has each.
 *
 * - of a server that is to be written: `remote-not-supported`, `variables-not-supported`, `unset-variable`,
 *   `malformed-variable`, `looks-like-variable`, `name-not-supported`, `command-not-supported`, `field-not-supported`,
 *   `shim-in-project-file`, `keyring-variable`, `secret-in-arguments`, `secret-not-resolved`
 * - of an entry that is read: `not-understood`, `host-variable`
 * - of a host or its file: `unreadable-file`, `legacy-host`, `shared-file`, `several-files`
 */
export type HostIssueCode =
  | 'command-not-supported'
  | 'field-not-supported'
  | 'host-variable'
  | 'keyring-variable'
  | 'legacy-host'
  | 'looks-like-variable'
  | 'malformed-variable'
  | 'name-not-supported'
  | 'not-understood'
  | 'remote-not-supported'
  | 'secret-in-arguments'
  | 'secret-not-resolved'
  | 'several-files'
  | 'shared-file'
  | 'shim-in-project-file'
  | 'unreadable-file'
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
  /** One line for people, without control characters or secret values; may improve in any release. */
  readonly message: string;
  readonly hint?: string | undefined;
}

/** An issue before it is known which host and server it belongs to. */
export type HostFault = Pick<HostIssue, 'code' | 'severity' | 'message' | 'hint'>;
