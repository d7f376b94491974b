import type { HostScope } from '../adapters/host-adapter.js';
import type { HostIssue } from '../host-issue.js';
import type { Sealed } from '../sealed.js';
import type { ConflictReason } from './decide-entry.js';
import type { OwnedFile } from './ownership.js';

/** What is going to happen. Safe to print, log and serialize: what would be written is not in the open. */
export interface SyncPlan {
  /** One for each entry that is ours or is wanted, file by file. */
  readonly steps: readonly SyncStep[];
  readonly issues: readonly HostIssue[];
  /** The files that `applySync` will touch. */
  readonly files: readonly FileChange[];
}

/** What a plan does to one entry, or why it does not. */
export type SyncStep =
  | (SyncStepBase & { readonly type: 'add' | 'change' | 'remove' | 'keep' })
  | (SyncStepBase & { readonly type: 'conflict'; readonly reason: ConflictReason; readonly message: string });

/** What every step says. */
export interface SyncStepBase {
  readonly host: string;
  readonly file: string;
  readonly server: string;
  /**
   * The entry as a unified diff in the language of its file, JSON, YAML or TOML, with `***` for secrets. Laid out as a
   * new entry is: comments and spacing of an entry that is there are not shown, and those outside the change stay. Empty
   * for `keep`; for a conflict, what force would do.
   */
  readonly diff: string;
}

/** What a plan does to one file. */
export interface FileChange {
  readonly file: string;
  /** `record`: the file stays, only what is known about it changes. */
  readonly effect: 'write' | 'delete' | 'record';
  readonly scope: HostScope;
  readonly inside: string;
  /** SHA-256 of the file that the plan was made for. Missing: there was none. */
  readonly before?: string | undefined;
  readonly content: Sealed<FileContent>;
}

/** A file after the change, and what is recorded of it. */
export interface FileContent {
  /** The whole file as it shall be. */
  readonly text: string;
  /** What is recorded of the file: when the plan was made, while it is carried out, and after. */
  readonly recorded: OwnedFile | undefined;
  readonly pending: OwnedFile;
  readonly done: OwnedFile | undefined;
}
