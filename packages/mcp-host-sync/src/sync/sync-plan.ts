import type { HostScope } from '../adapters/host-adapter.js';
import type { HostIssue } from '../host-issue.js';
import type { Sealed } from '../sealed.js';
import type { ConflictReason } from './decide-entry.js';
import type { OwnedFile } from './ownership.js';

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
