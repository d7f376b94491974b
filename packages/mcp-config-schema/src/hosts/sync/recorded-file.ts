import type { OwnedContainer, OwnedFile } from './ownership.js';
import { sameKeyPath } from './ownership.js';
import type { ContainerPlan } from './plan-container.js';

/** The record of a file while a plan is carried out, or after; `undefined` when there is nothing left to know. */
export function recordedFile(
  path: string,
  recorded: OwnedFile | undefined,
  plans: readonly ContainerPlan[],
  { isCreated, phase }: { readonly isCreated: boolean; readonly phase: 'pending' | 'done' },
): OwnedFile | undefined {
  const planned = plans.flatMap((plan) => (plan.records === undefined ? [] : [plan.records[phase]]));
  const others = (recorded?.containers ?? []).filter(
    ({ keyPath }) => !planned.some((container) => sameKeyPath(container.keyPath, keyPath)),
  );
  const containers = [...others, ...planned].filter(({ entries }) => entries.length > 0).toSorted(byKeyPath);
  if (containers.length === 0) return undefined;
  return {
    path,
    ...(isCreated ? { createdFile: true } : {}),
    ...(recorded?.createdDirectory === undefined ? {} : { createdDirectory: recorded.createdDirectory }),
    containers,
  };
}

function byKeyPath(left: OwnedContainer, right: OwnedContainer): number {
  const [a, b] = [JSON.stringify(left.keyPath), JSON.stringify(right.keyPath)];
  return a < b ? -1 : a > b ? 1 : 0;
}
