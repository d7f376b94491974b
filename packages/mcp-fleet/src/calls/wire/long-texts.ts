/// <reference lib="es2024.string" />

type Path = readonly (string | number)[];

export interface LongText {
  readonly path: Path;
  readonly text: string;
}

/** Characters above which escaping costs more than a separate part. */
const LONG = 1_024;
/** Values to visit: searching many small values costs more than it saves. */
const MAX_VISITS = 1_000;

type Container = Record<string | number, unknown>;

/** An array may have an own property `keys`. */
const indexesOf = Array.prototype.keys;

/**
 * Replaces long texts by empty ones within the first thousand values. `rest` with the texts restored has the JSON of
 * the value.
 *
 * @returns `rest` is the value itself if it has no long texts, otherwise a copy.
 * @throws Errors of the value's getters.
 */
export function extractLongTexts(value: unknown): { readonly rest: unknown; readonly texts: readonly LongText[] } {
  const texts: LongText[] = [];
  const path: (string | number)[] = [];
  let visits = 0;

  function restOf(container: Container): Container {
    let rest: Container | undefined;
    for (const key of Array.isArray(container) ? indexesOf.call(container) : Object.keys(container)) {
      visits += 1;
      if (visits > MAX_VISITS) break;
      const child = container[key];
      if (typeof child !== 'string' && !isPlain(child)) continue;
      path.push(key);
      const restOfChild = typeof child === 'string' ? restOfText(child) : restOf(child);
      path.pop();
      if (restOfChild === child) continue;
      rest ??= copyOf(container);
      rest[key] = restOfChild;
    }
    return rest ?? container;
  }

  function restOfText(text: string): string {
    // UTF-8 cannot encode half a surrogate pair; JSON can.
    if (text.length < LONG || !text.isWellFormed()) return text;
    texts.push({ path: Array.from(path), text });
    return '';
  }

  return { rest: isPlain(value) ? restOf(value) : value, texts };
}

/**
 * Restores a text at its path.
 *
 * @returns False, without a change, if the path does not lead to an empty text.
 */
export function restoreLongText(value: unknown, path: unknown, text: string): boolean {
  if (!Array.isArray(path)) return false;
  let container: unknown;
  let child = value;
  let last: string | number = '';
  for (const key of path) {
    // Own keys only: `__proto__` or `constructor` would reach objects that all values share.
    if (!isKey(key) || typeof child !== 'object' || child === null || !Object.hasOwn(child, key)) return false;
    container = child;
    child = (child as Container)[key];
    last = key;
  }
  if (container === undefined || child !== '') return false;
  (container as Container)[last] = text;
  return true;
}

/** True if `JSON.stringify` depends only on the value's own keys, so that a copy is equivalent. */
function isPlain(value: unknown): value is Container {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  const prototype = Object.getPrototypeOf(value);
  if (Array.isArray(value)) return prototype === Array.prototype;
  return prototype === Object.prototype || prototype === null;
}

function copyOf(container: Container): Container {
  return Array.isArray(container) ? (Array.from(container) as unknown as Container) : { ...container };
}

function isKey(key: unknown): key is string | number {
  return typeof key === 'string' || typeof key === 'number';
}
