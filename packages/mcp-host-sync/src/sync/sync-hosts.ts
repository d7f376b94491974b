import { optionTable } from '@x/internal/options';
import { readOwnership } from '../files/ownership-file.js';
import { isHostFileError } from '../host-error.js';
import { type ReadDocumentsOptions, readHostDocuments } from '../read-documents.js';
import type { AppliedFile } from './apply-file.js';
import { type ApplyOptions, applyRows, applySync, type SyncResult } from './apply-sync.js';
import { planSync } from './plan-sync.js';
import type { SyncInput } from './sync-input.js';
import type { SyncPlan, SyncStep } from './sync-plan.js';

/** Which hosts shall have which servers, and how they get them. */
export interface SyncOptions
  extends ApplyOptions,
    Omit<SyncInput, 'ours' | 'theirs' | 'ownership'>,
    Pick<ReadDocumentsOptions, 'place' | 'pause'> {
  /** Ids, families or short names; see `listHosts`. */
  readonly hosts: readonly string[];
  /** Plan only. Default `false`. */
  readonly dryRun?: boolean | undefined;
}

const syncOptions = optionTable<SyncOptions>('ignored')({
  ...applyRows,
  hosts: { kind: 'texts', required: true },
  dryRun: { kind: 'flag', default: false },
  owner: { kind: 'text' },
  force: { kind: 'flag' },
  bridgeRemote: { kind: 'flag' },
  writeSecrets: { kind: 'object' },
  projectSecrets: { kind: 'word', words: ['refuse', 'write'] },
  place: { kind: 'object' },
  pause: { kind: 'function' },
});

/** What was planned, and what was done. */
export interface SyncOutcome {
  /** Its steps say what has become of each entry, over all attempts. */
  readonly plan: SyncPlan;
  /** Missing after a dry run. */
  readonly result?: SyncResult | undefined;
}

const maxAttempts = 10;

/**
 * Reads, plans and applies in one go, and starts over when another program was faster than us.
 *
 * @throws {TypeError} Names the option that is missing, misspelt or makes no sense.
 * @throws what `readOwnership`, `readHostDocuments`, `planSync` and `applySync` throw; `changed-since-plan` only when
 *   a file keeps changing
 */
export async function syncHosts(ours: SyncInput['ours'], options: SyncOptions): Promise<SyncOutcome> {
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
      for (const step of plan.steps) if (step.file === applied.file && isDoing(step)) done.set(keyOf(step), step);
      settings.onApplied?.(applied);
    };
    try {
      await applySync(plan, { timeoutMs, signal, stateDirectory, backups, allowedPlaces, onStep, onApplied });
      return { plan: { ...plan, steps: allSteps(plan.steps, done) }, result: { files } };
    } catch (error) {
      if (attempt === maxAttempts || !wasFaster(error)) throw error;
    }
  }
}

/** With what earlier attempts have done to entries that the last one found as they should be. */
function allSteps(last: readonly SyncStep[], done: ReadonlyMap<string, SyncStep>): readonly SyncStep[] {
  const unseen = new Map(done);
  const steps = last.map((step) => {
    const key = keyOf(step);
    unseen.delete(key);
    return step.type === 'keep' ? (done.get(key) ?? step) : step;
  });
  return [...unseen.values(), ...steps];
}

function isDoing({ type }: SyncStep): boolean {
  return type !== 'keep' && type !== 'conflict';
}

function keyOf({ file, host, server }: SyncStep): string {
  return JSON.stringify([file, host, server]);
}

/** Several files may fail together; another attempt helps if each of them has only been changed. */
function wasFaster(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(wasFaster);
  return isHostFileError(error) && error.code === 'changed-since-plan';
}
