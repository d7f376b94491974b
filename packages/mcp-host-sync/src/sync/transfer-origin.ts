import type { ContainerOrigin } from '../edit/document-shape.js';
import type { OwnedContainer } from './ownership.js';

/**
 * Containers may share a created parent. The removal of one transfers its origin to another, which then removes the
 * shared part.
 */
export function transferOrigin(gone: OwnedContainer, others: readonly OwnedContainer[]): readonly OwnedContainer[] {
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
