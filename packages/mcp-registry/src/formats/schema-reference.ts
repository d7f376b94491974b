import { isRecord } from '../catalog/json-copy.js';

const MAX_VISITED = 20_000;

/** What a reference within a schema stands for: a pointer or an anchor. Nothing is ever fetched. */
export function resolveReference(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  const fragment = decode(reference.slice(1));
  if (fragment === undefined) return undefined;
  if (fragment === '') return root;
  return fragment.startsWith('/') ? follow(root, fragment.slice(1).split('/')) : findAnchor(root, fragment);
}

function follow(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((place, step) => {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const isIn = typeof place === 'object' && place !== null && Object.hasOwn(place, key);
    return isIn ? (place as Readonly<Record<string, unknown>>)[key] : undefined;
  }, root);
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

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // no reference at all
  }
}
