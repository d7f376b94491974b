import type { ContainerOrigin } from '../edit/document-shape.js';
import type { OwnedContainer } from './ownership.js';

/**
 * Several containers may stand in what was created for the first of them: the document itself, or an object that their
 * key paths share. When that one goes, the rest of what it created is left to one of the others, so that it goes with
 * the last.
 */
export function handOnOrigin(gone: OwnedContainer, others: readonly OwnedContainer[]): readonly OwnedContainer[] {
  const heirs = others.flatMap((other, index) => {
    const origin = inherited(gone, other);
    return origin === undefined ? [] : [{ index, origin, shared: sharedSteps(gone, other) }];
  });
  const [heir] = heirs.toSorted((a, b) => b.shared - a.shared);
  return others.map((other, index) => (index === heir?.index ? { ...other, origin: heir.origin } : other));
}

/** The origin of a container together with what the one that goes created above both; `undefined` when it is nothing. */
function inherited(gone: OwnedContainer, heir: OwnedContainer): ContainerOrigin | undefined {
  if (gone.origin === undefined || heir.origin === undefined || heir.entries.length === 0) return undefined;
  const shared = sharedSteps(gone, heir);
  const top = topOf(gone, gone.origin);
  const reaches = (gone.origin.replaced === undefined ? top : top - 1) <= shared;
  // Only what was begun right below the shared part lies in it as a whole.
  const isBelow = topOf(heir, heir.origin) === shared + 1 && heir.origin.replaced === undefined;
  return reaches && isBelow ? { ...gone.origin, levels: heir.keyPath.length - top + 1 } : undefined;
}

/** How many steps lead to the uppermost value that was created; none to the document. */
function topOf({ keyPath }: OwnedContainer, { levels }: ContainerOrigin): number {
  return keyPath.length - levels + 1;
}

function sharedSteps({ keyPath }: OwnedContainer, other: OwnedContainer): number {
  const differs = keyPath.findIndex((key, index) => key !== other.keyPath[index]);
  return differs === -1 ? keyPath.length : differs;
}
