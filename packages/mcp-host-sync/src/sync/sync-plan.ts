import type { HostPlatform, HostScope } from '../adapters/host-adapter.js';
import type { HostFileError } from '../host-error.js';
import type { HostIssue } from '../host-issue.js';
import type { HostServer } from '../host-server.js';
import type { Sealed } from '../sealed.js';
import type { VariableValues } from '../variables/host-text.js';
import type { ConflictReason } from './decide-entry.js';
import type { OwnedFile, Ownership } from './ownership.js';

/** Input of a plan: the wanted servers and the hosts' files. */
export interface SyncInput {
  /** Wanted servers, with unique names. */
  readonly ours: readonly HostServer[];
  /** The hosts' files, from `readHostDocuments`. */
  readonly theirs: readonly HostDocument[];
  /** Record of earlier writes, from `readOwnership`. Default: empty. */
  readonly ownership?: Ownership | undefined;
  /** A sync removes only entries of its owner. Default `mcpx`. */
  readonly owner?: string | undefined;
  /** Also changes and removes entries that others wrote or edited. Default `false`. */
  readonly force?: boolean | undefined;
  /**
   * Servers that an entry of `ours` serves. Removes entries of others that start one of them in the same way, if `ours`
   * is written to that file. All other entries stay, each with the issue `not-served`. Default: none.
   */
  readonly adopt?: readonly ServedServer[] | undefined;
  /** Writes remote servers as `npx -y mcp-remote` for hosts that do not support them. Default `false`. */
  readonly bridgeRemote?: boolean | undefined;
  /**
   * Variable values for hosts that do not replace variables, written to user files only. Without them, such hosts do
   * not get servers with variables.
   */
  readonly writeSecrets?: VariableValues | undefined;
  /**
   * Servers with literal secrets in project files, which all members can read: `refuse` leaves them out with an issue,
   * `write` writes them. Secrets are recognized by field name, format, and as values of variables. Default `refuse`.
   */
  readonly projectSecrets?: 'refuse' | 'write' | undefined;
  /**
   * `allowedTools` and `deniedTools`: `warn` writes the server without them, with a warning; `write` writes them into the
   * host's own fields, which a later sync changes and a user's edit makes a conflict. A server with lists
   * that cannot be written is left out then, and its entry of an earlier sync is removed, because it may offer more tools.
   * Default `warn`.
   */
  readonly toolLists?: 'warn' | 'write' | undefined;
}

/** A server behind an entry of `ours`, to find the entries that it replaces. */
export interface ServedServer {
  /** With references to variables, as a config loaded with `variables: 'keep'` has it. */
  readonly server: HostServer;
  /** The same with the values of variables, for entries that contain the values. Default: only references are compared. */
  readonly resolved?: HostServer | undefined;
}

/** A host's file, as input of a plan. */
export interface HostDocument {
  readonly host: string;
  /** Existing file, or the file to create. */
  readonly file: string;
  /** Directory that must contain the file. */
  readonly inside: string;
  readonly platform: HostPlatform;
  readonly project?: string | undefined;
  /** Root of the git repository of `project`, under which some hosts list its servers. Default: `project`. */
  readonly repository?: string | undefined;
  /** Missing if there is no file. May contain secrets. */
  readonly text?: string | undefined;
  /** Error of an unreadable file. */
  readonly fault?: HostFileError | undefined;
  /** Other existing files of the host, which are ignored. */
  readonly alsoFound?: readonly string[] | undefined;
  /** True for a server that settings outside of its entry switch off. Default: for none. */
  readonly isOff?: ((server: string) => boolean) | undefined;
  /** True if the host now reads a different file: recorded entries are removed. */
  readonly isRetired?: true | undefined;
}

/** Planned changes. Safe to print and serialize: file contents are sealed. */
export interface SyncPlan {
  /** One step for each recorded or wanted entry, by file. */
  readonly steps: readonly SyncStep[];
  readonly issues: readonly HostIssue[];
  /** The files that `applySync` changes. */
  readonly files: readonly FileChange[];
}

/** Planned change of one entry, or the reason for leaving it unchanged. */
export type SyncStep =
  | (SyncStepBase & { readonly type: 'add' | 'change' | 'remove' | 'keep' })
  | (SyncStepBase & { readonly type: 'conflict'; readonly reason: ConflictReason; readonly message: string });

/** Fields of every step. */
export interface SyncStepBase {
  readonly host: string;
  readonly file: string;
  readonly server: string;
  /**
   * Unified diff of the entry in the syntax of its file, with `***` for secrets and without comments. Empty for `keep`.
   * For a conflict: the effect of `force`.
   */
  readonly diff: string;
  /** For an entry that `adopt` removes: the name of the server that serves it. */
  readonly servedAs?: string | undefined;
}

/** Planned change of one file. */
export interface FileChange {
  readonly file: string;
  /** `record`: only the record changes, not the file. */
  readonly effect: 'write' | 'delete' | 'record';
  readonly scope: HostScope;
  readonly inside: string;
  /** SHA-256 of the file at planning time. Missing if there was no file. */
  readonly before?: string | undefined;
  readonly content: Sealed<FileContent>;
}

/** New content of a file, and its records. */
export interface FileContent {
  /** The whole file after the change. */
  readonly text: string;
  /** Record of the file at planning time; then `pending` during and `done` after the write. */
  readonly recorded: OwnedFile | undefined;
  readonly pending: OwnedFile;
  readonly done: OwnedFile | undefined;
}
