import type { ContainerOrigin } from '../edit/document.js';
import { type OwnedContainer, type OwnedFile, sameKeyPath } from './ownership.js';
import type { ContainerPlan } from './plan-container.js';

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

/**
 * Containers may share a created parent. The removal of one transfers its origin to another, which then removes the
 * shared part.
 */
function transferOrigin(gone: OwnedContainer, others: readonly OwnedContainer[]): readonly OwnedContainer[] {
  const heirs = others.flatMap((other, index) => {
    const origin = inherited(gone, other);
    return origin === undefined ? [] : [{ index, origin, shared: sharedSteps(gone, other) }];
  });
  const [heir] = heirs.toSorted((a, b) => b.shared - a.shared);
  return others.map((other, index) => (index === heir?.index ? { ...other, origin: heir.origin } : other));
}

/** Origin of a container plus the part that the removed container created above it. */
function inherited(gone: OwnedContainer, heir: OwnedContainer): ContainerOrigin | undefined {
  if (gone.origin === undefined || heir.origin === undefined || heir.entries.length === 0) return undefined;
  const shared = sharedSteps(gone, heir);
  const top = topOf(gone, gone.origin);
  const reaches = (gone.origin.replaced === undefined ? top : top - 1) <= shared;
  // Only a container directly below the shared part is completely inside it.
  const isBelow = topOf(heir, heir.origin) === shared + 1 && heir.origin.replaced === undefined;
  return reaches && isBelow ? { ...gone.origin, levels: heir.keyPath.length - top + 1 } : undefined;
}

function topOf({ keyPath }: OwnedContainer, { levels }: ContainerOrigin): number {
  return keyPath.length - levels + 1;
}

function sharedSteps({ keyPath }: OwnedContainer, other: OwnedContainer): number {
  const differs = keyPath.findIndex((key, index) => key !== other.keyPath[index]);
  return differs === -1 ? keyPath.length : differs;
}
