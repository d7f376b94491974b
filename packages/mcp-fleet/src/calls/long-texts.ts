/// <reference lib="es2024.string" />

/** The keys on the way to a text, the outermost first. */
type Path = readonly (string | number)[];

/** A text that was taken out of a value. */
export interface LongText {
  readonly path: Path;
  readonly text: string;
}

/** Of so many characters on it takes longer to escape a text than to send it on its own. */
const LONG = 1_024;
/** Values that are looked at. A list of many small ones would take longer to search than there is to win. */
const MAX_LOOKS = 1_000;

type Container = Record<string | number, unknown>;

/** A list may have something else under `keys`. */
const indexesOf = Array.prototype.keys;

/**
 * Takes long texts out of a value, where they are among its first thousand parts. Nothing else about it changes: what
 * `JSON.stringify` makes of `rest` with the texts put back is what it makes of the value.
 *
 * @returns `rest` is the value itself when there are none, and otherwise a copy, with an empty text in the place of each.
 * @throws What a getter of the value throws.
 */
export function takeLongTexts(value: unknown): { readonly rest: unknown; readonly texts: readonly LongText[] } {
  const texts: LongText[] = [];
  const path: (string | number)[] = [];
  let looks = 0;

  function restOf(container: Container): Container {
    let rest: Container | undefined;
    for (const key of Array.isArray(container) ? indexesOf.call(container) : Object.keys(container)) {
      looks += 1;
      if (looks > MAX_LOOKS) break;
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
    // Half of a surrogate pair has no place in UTF-8; JSON has an escape for it.
    if (text.length < LONG || !text.isWellFormed()) return text;
    texts.push({ path: Array.from(path), text });
    return '';
  }

  return { rest: isPlain(value) ? restOf(value) : value, texts };
}

/** Puts a text back where one was taken out. @returns Whether that is such a place; nothing has changed if not. */
export function putLongText(value: unknown, path: unknown, text: string): boolean {
  if (!Array.isArray(path)) return false;
  let container: unknown;
  let child = value;
  let last: string | number = '';
  for (const key of path) {
    // An own key alone: with `__proto__` or `constructor` a node could name what all objects share.
    if (!isKey(key) || typeof child !== 'object' || child === null || !Object.hasOwn(child, key)) return false;
    container = child;
    child = (child as Container)[key];
    last = key;
  }
  if (container === undefined || child !== '') return false;
  (container as Container)[last] = text;
  return true;
}

/** Whether `JSON.stringify` sees of it what its keys hold, and a copy is as good. */
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
