import { type OwnedContainer, type OwnedFile, sameKeyPath } from './ownership.js';
import type { ContainerPlan } from './plan-container.js';
import { transferOrigin } from './transfer-origin.js';

export interface PlannedContainers {
  readonly plans: readonly ContainerPlan[];
  /** Records of all containers after the last plan, including unread ones. */
  readonly done: readonly OwnedContainer[];
}

/** Records of a file's containers after one more plan. */
export function afterPlan(known: readonly OwnedContainer[], { records }: ContainerPlan): readonly OwnedContainer[] {
  if (records === undefined) return known;
  const { done } = records;
  const others = known.filter(({ keyPath }) => !sameKeyPath(keyPath, done.keyPath));
  return done.entries.length === 0 ? transferOrigin(done, others) : [...others, done];
}

export function pendingContainers(
  recorded: OwnedFile | undefined,
  { plans }: PlannedContainers,
): readonly OwnedContainer[] {
  const pending = plans.flatMap(({ records }) => records?.pending ?? []);
  return [...notAmong(pending, recorded), ...pending];
}

/** True if a file still counts as created. Without recorded entries, another program may have created it anew. */
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

/** Record of a file without its directories; `undefined` without entries. */
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
