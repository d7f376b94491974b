import { readOwnership } from '../files/ownership-file.js';
import { isHostFileError } from '../host-error.js';
import { type ReadDocumentsOptions, readHostDocuments } from '../read-documents.js';
import { type ApplyOptions, applySync, type SyncResult } from './apply-sync.js';
import { planSync } from './plan-sync.js';
import type { SyncInput } from './sync-input.js';
import type { SyncPlan } from './sync-plan.js';

export interface SyncOptions
  extends ApplyOptions,
    Omit<SyncInput, 'ours' | 'theirs' | 'ownership'>,
    Pick<ReadDocumentsOptions, 'place' | 'pause'> {
  /** Ids, families or short names; see `listHosts`. */
  readonly hosts: readonly string[];
  /** Plan only. Default `false`. */
  readonly dryRun?: boolean | undefined;
}

export interface SyncOutcome {
  readonly plan: SyncPlan;
  /** Missing after a dry run. */
  readonly result?: SyncResult | undefined;
}

const maxAttempts = 10;

/**
 * Reads, plans and applies in one go, and starts over when another program was faster than us.
 *
 * @throws what `readOwnership`, `readHostDocuments`, `planSync` and `applySync` throw; `changed-since-plan` only when
 *   a file keeps changing
 */
export async function syncHosts(ours: SyncInput['ours'], options: SyncOptions): Promise<SyncOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    const ownership = await readOwnership(options);
    const theirs = await readHostDocuments(options.hosts, { ...options, ownership });
    const plan = planSync({ ...options, ours, theirs, ownership });
    if (options.dryRun === true) return { plan };
    try {
      return { plan, result: await applySync(plan, options) };
    } catch (error) {
      if (attempt === maxAttempts || !wasFaster(error)) throw error;
    }
  }
}

/** Several files may fail together; another attempt helps if each of them has only been changed. */
function wasFaster(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(wasFaster);
  return isHostFileError(error) && error.code === 'changed-since-plan';
}
