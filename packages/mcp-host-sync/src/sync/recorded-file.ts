import { handOnOrigin } from './hand-on-origin.js';
import { type OwnedContainer, type OwnedFile, sameKeyPath } from './ownership.js';
import type { ContainerPlan } from './plan-container.js';

/** What is planned for the containers of one file. */
export interface PlannedContainers {
  readonly plans: readonly ContainerPlan[];
  /** What is known of all containers after the last plan, those that were not looked into among them. */
  readonly done: readonly OwnedContainer[];
}

/** What is known of a file's containers once one more plan is carried out. */
export function afterPlan(known: readonly OwnedContainer[], { records }: ContainerPlan): readonly OwnedContainer[] {
  if (records === undefined) return known;
  const { done } = records;
  const others = known.filter(({ keyPath }) => !sameKeyPath(keyPath, done.keyPath));
  return done.entries.length === 0 ? handOnOrigin(done, others) : [...others, done];
}

/** What is to be known while the plans are carried out. */
export function pendingContainers(
  recorded: OwnedFile | undefined,
  { plans }: PlannedContainers,
): readonly OwnedContainer[] {
  const pending = plans.flatMap(({ records }) => records?.pending ?? []);
  return [...notAmong(pending, recorded), ...pending];
}

/** A file that was created here is not ours any more when it is begun anew, as nothing of ours is left in it. */
export function isStillCreated(
  recorded: OwnedFile | undefined,
  { plans }: PlannedContainers,
  { isSame }: { readonly isSame: boolean },
): boolean {
  if (recorded?.createdFile !== true || isSame) return recorded?.createdFile === true;
  const seen = plans.flatMap(({ records }) => records?.done ?? []);
  return plans.some(({ hasOurs }) => hasOurs) || notAmong(seen, recorded).length > 0;
}

function notAmong(planned: readonly OwnedContainer[], recorded: OwnedFile | undefined): readonly OwnedContainer[] {
  const isPlanned = (container: OwnedContainer) =>
    planned.some(({ keyPath }) => sameKeyPath(container.keyPath, keyPath));
  return (recorded?.containers ?? []).filter((container) => !isPlanned(container));
}

/** The record of a file but for its directories, which are known once they are made; `undefined` when nothing is left. */
export function recordedFile(
  path: string,
  containers: readonly OwnedContainer[],
  { isCreated }: { readonly isCreated: boolean },
): OwnedFile | undefined {
  const inUse = containers.filter(({ entries }) => entries.length > 0).toSorted(byKeyPath);
  if (inUse.length === 0) return undefined;
  return { path, ...(isCreated ? { createdFile: true } : {}), containers: inUse };
}

function byKeyPath(left: OwnedContainer, right: OwnedContainer): number {
  const [a, b] = [JSON.stringify(left.keyPath), JSON.stringify(right.keyPath)];
  return a < b ? -1 : a > b ? 1 : 0;
}
