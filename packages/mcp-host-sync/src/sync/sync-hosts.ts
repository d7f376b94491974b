import { optionTable, refusePromise } from '@x/internal/options';
import { readOwnership } from '../files/ownership-file.js';
import { isHostFileError } from '../host-error.js';
import { type ReadDocumentsOptions, readHostDocuments } from '../read-documents.js';
import type { AppliedFile } from './apply-file.js';
import { type ApplyOptions, applyRows, applySync, type SyncResult } from './apply-sync.js';
import { planRows, planSync } from './plan-sync.js';
import type { SyncInput, SyncPlan, SyncStep } from './sync-plan.js';

/** Options of `syncHosts`. */
export interface SyncOptions
  extends ApplyOptions,
    Omit<SyncInput, 'ours' | 'theirs' | 'ownership'>,
    Pick<ReadDocumentsOptions, 'place' | 'pause'> {
  /** See `listHosts`. */
  readonly hosts: readonly string[];
  /** Only plans. Default `false`. */
  readonly dryRun?: boolean | undefined;
}

const syncOptions = optionTable<SyncOptions>()({
  ...applyRows,
  hosts: { kind: 'texts', required: true },
  dryRun: { kind: 'flag', default: false },
  ...planRows,
  place: { kind: 'object' },
  pause: { kind: 'function' },
});

/** Result of `syncHosts`. */
export interface SyncOutcome {
  /** Its steps cover all attempts. */
  readonly plan: SyncPlan;
  /** Missing after a dry run. */
  readonly result?: SyncResult | undefined;
}

const maxAttempts = 10;

/**
 * Reads, plans and applies; at most 10 times while other programs change files.
 *
 * @throws {TypeError} An option is missing, misspelled or invalid; the message names it.
 * @throws Errors of `readOwnership`, `readHostDocuments`, `planSync` and `applySync`
 */
export async function syncHosts(ours: SyncInput['ours'], options: SyncOptions): Promise<SyncOutcome> {
  refusePromise('The list of servers', ours);
  const settings = syncOptions.read(options);
  const { hosts, dryRun, allowedPlaces, timeoutMs, signal, stateDirectory, backups, onStep } = settings;
  const files: AppliedFile[] = [];
  const done = new Map<string, SyncStep>();
  for (let attempt = 1; ; attempt += 1) {
    const ownership = await readOwnership(settings);
    const theirs = await readHostDocuments(hosts, { ...settings, ownership });
    const plan = planSync({ ...settings, ours, theirs, ownership });
    if (dryRun) return { plan };
    const onApplied = (applied: AppliedFile) => {
      files.push(applied);
      for (const step of plan.steps) if (step.file === applied.file && isChange(step)) done.set(keyOf(step), step);
      settings.onApplied?.(applied);
    };
    try {
      await applySync(plan, { timeoutMs, signal, stateDirectory, backups, allowedPlaces, onStep, onApplied });
      return { plan: { ...plan, steps: allSteps(plan.steps, done) }, result: { files } };
    } catch (error) {
      if (attempt === maxAttempts || !isChangedMeanwhile(error)) throw error;
    }
  }
}

/** Adds the steps of earlier attempts. */
function allSteps(last: readonly SyncStep[], done: ReadonlyMap<string, SyncStep>): readonly SyncStep[] {
  const unseen = new Map(done);
  const steps = last.map((step) => {
    const key = keyOf(step);
    unseen.delete(key);
    return step.type === 'keep' ? (done.get(key) ?? step) : step;
  });
  return [...unseen.values(), ...steps];
}

function isChange({ type }: SyncStep): boolean {
  return type !== 'keep' && type !== 'conflict';
}

function keyOf({ file, host, server }: SyncStep): string {
  return JSON.stringify([file, host, server]);
}

/** Another attempt helps only if other programs changed all files that failed. */
function isChangedMeanwhile(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isChangedMeanwhile);
  return isHostFileError(error) && error.code === 'changed-since-plan';
}
