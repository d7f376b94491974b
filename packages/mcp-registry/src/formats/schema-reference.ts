import { decodeFragment, followPointer, isRecord } from '@x/internal/json';

const MAX_VISITED = 20_000;

/** Resolves a pointer or an anchor within the schema. */
export function resolveReference(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  const fragment = reference.slice(1);
  const anchor = decodeFragment(fragment);
  if (anchor === undefined) return undefined;
  return anchor === '' || anchor.startsWith('/') ? followPointer(root, fragment) : findAnchor(root, anchor);
}

function findAnchor(root: unknown, anchor: string): unknown {
  const open: unknown[] = [root];
  for (let visited = 0; open.length > 0 && visited < MAX_VISITED; visited++) {
    const place = open.pop();
    if (isRecord(place) && (place.$anchor === anchor || place.$dynamicAnchor === anchor)) return place;
    if (typeof place === 'object' && place !== null) open.push(...Object.values(place).slice(0, MAX_VISITED));
  }
  return undefined;
}
