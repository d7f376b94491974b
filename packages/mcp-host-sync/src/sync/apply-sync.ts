import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type OptionRows, optionTable } from '@x/internal/options';
import { writeFailure } from '../files/file-failure.js';
import { type LockOptions, lockFile } from '../files/file-lock.js';
import { resolveTarget } from '../files/resolve-target.js';
import { backupsFolderName, defaultStateDirectory, ownershipPath } from '../files/state-directory.js';
import { type AppliedFile, type ApplyStep, applyFile } from './apply-file.js';
import type { SyncPlan } from './sync-plan.js';

/** How a plan is carried out. */
export interface ApplyOptions extends LockOptions {
  /** Where the record of what was written, and backups, are kept. Default: the user's data directory for `mcpx`. */
  readonly stateDirectory?: string | undefined;
  /** How many copies of each file, as it was before a change, are kept. Default 5. */
  readonly backups?: number | undefined;
  /** Directories outside the expected ones that links may lead to, as a folder of dotfiles. Default: none. */
  readonly allowedPlaces?: readonly string[] | undefined;
  /** Called before each step of each file, as for showing progress. What it throws stops that file. */
  readonly onStep?: ((step: ApplyStep, file: string) => void | Promise<void>) | undefined;
  /** Called once a file is done, so that it is known what was written also where the call as a whole fails. */
  readonly onApplied?: ((applied: AppliedFile) => void) | undefined;
}

/** A row for each of `ApplyOptions`. */
export const applyRows = {
  timeoutMs: { kind: 'number', of: 'milliseconds', min: 0 },
  signal: { kind: 'object' },
  stateDirectory: { kind: 'text' },
  backups: { kind: 'number', of: 'copies', min: 0, default: 5 },
  allowedPlaces: { kind: 'texts' },
  onStep: { kind: 'function' },
  onApplied: { kind: 'function' },
} as const satisfies OptionRows<ApplyOptions>;
const applyOptions = optionTable<ApplyOptions>('ignored')(applyRows);

/** What a plan has changed. */
export interface SyncResult {
  /** What was done, one for each write. */
  readonly files: readonly AppliedFile[];
}

/**
 * Carries a plan out, one process at a time. Each file is written in one step and only if it is still what the plan
 * was made for; a file that fails stays as it was and does not keep the others from being written. Those that were
 * are told to `onApplied`.
 *
 * @throws {HostFileError} `changed-since-plan` (plan again), `locked`, `no-space`, `read-only`, `outside-expected-place`,
 *   `not-a-file`, `broken-link`, `hard-link`, `foreign-owner`, `invalid-state`, `write-failed`; what `onStep` throws, as
 *   it is; when several files fail, an `AggregateError` with one of these each
 * @throws {TypeError} for an option that makes no sense
 */
export async function applySync(plan: SyncPlan, options: ApplyOptions = {}): Promise<SyncResult> {
  const settings = applyOptions.read(options);
  const { stateDirectory = defaultStateDirectory(), backups, allowedPlaces, signal, onStep, onApplied } = settings;
  if (plan.files.length === 0) return { files: [] };

  await using _lock = await lockState(stateDirectory, settings);
  const backupDirectory = join(stateDirectory, backupsFolderName);
  const files: AppliedFile[] = [];
  const failures: unknown[] = [];
  for (const change of plan.files) {
    signal?.throwIfAborted();
    const place = { stateDirectory, backupDirectory, backups, allowedPlaces, lock: settings, onStep };
    const applied = await applyFile(change, place).catch((error: unknown) => {
      failures.push(error);
      return undefined;
    });
    if (applied === undefined) continue;
    files.push(applied);
    onApplied?.(applied);
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1)
    throw new AggregateError(failures, `${failures.length} of ${plan.files.length} files were not synced`);
  return { files };
}

/** One sync at a time for this user, so that the record and the files never tell different stories. */
async function lockState(stateDirectory: string, { timeoutMs, signal }: LockOptions): Promise<AsyncDisposable> {
  try {
    await mkdir(stateDirectory, { recursive: true, mode: 0o700 });
    const { path } = await resolveTarget(ownershipPath(stateDirectory), { forWriting: false });
    return await lockFile(path, { timeoutMs, signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw writeFailure(error, ownershipPath(stateDirectory));
  }
}
