import { join } from 'node:path';
import { type OptionRows, optionTable, refusePromise } from '@x/internal/options';
import type { LockOptions } from '../files/file-lock.js';
import { lockState } from '../files/lock-state.js';
import { backupsFolderName, defaultStateDirectory } from '../files/ownership-file.js';
import { type AppliedFile, type ApplyStep, applyFile } from './apply-file.js';
import type { SyncPlan } from './sync-plan.js';

/** Options of `applySync`. */
export interface ApplyOptions extends LockOptions {
  /** Directory of the record and the backups. Default: the data directory of `mcpx` for the user. */
  readonly stateDirectory?: string | undefined;
  /** Number of backups per file. Default 5. */
  readonly backups?: number | undefined;
  /** Further directories that may contain the target of a link. Default: none. */
  readonly allowedPlaces?: readonly string[] | undefined;
  /** Called before each step of each file. An exception stops that file. */
  readonly onStep?: ((step: ApplyStep, file: string) => void | Promise<void>) | undefined;
  /** Called after each completed file, even if the call fails later. */
  readonly onApplied?: ((applied: AppliedFile) => void) | undefined;
}

export const applyRows = {
  timeoutMs: { kind: 'number', of: 'milliseconds', min: 0 },
  signal: { kind: 'signal' },
  stateDirectory: { kind: 'text' },
  backups: { kind: 'number', of: 'copies', min: 0, default: 5 },
  allowedPlaces: { kind: 'texts' },
  onStep: { kind: 'function' },
  onApplied: { kind: 'function' },
} as const satisfies OptionRows<ApplyOptions>;
const applyOptions = optionTable<ApplyOptions>('ignored')(applyRows);

/** Result of applying a plan. */
export interface SyncResult {
  /** One item per write. */
  readonly files: readonly AppliedFile[];
}

/**
 * Applies a plan, one process at a time. Replaces each file in one step, if it is unchanged since the plan was made. A
 * file that fails stays unchanged; the others are still written and reported to `onApplied`.
 *
 * @throws {HostFileError} `changed-since-plan` (plan again), `locked`, `no-space`, `read-only`,
 *   `outside-expected-place`, `not-a-file`, `broken-link`, `hard-link`, `foreign-owner`, `invalid-state`,
 *   `write-failed`; exceptions of `onStep`; an `AggregateError` of these if several files fail
 * @throws {TypeError} An option is invalid.
 */
export async function applySync(plan: SyncPlan, options: ApplyOptions = {}): Promise<SyncResult> {
  const settings = applyOptions.read(options);
  requirePlan(plan);
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
    throw new AggregateError(failures, `${failures.length} of ${plan.files.length} files could not be synced`);
  return { files };
}

function requirePlan(plan: unknown): void {
  refusePromise('The plan', plan);
  if (!Array.isArray(Object(plan).files)) throw new TypeError('The plan must be the result of planSync()');
}
