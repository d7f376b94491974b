/** Paths of which none leads to, or through, another one. */
export class PathSet {
  readonly #below = new Map<string, PathSet>();
  #isEnd = false;

  add(path: readonly string[]): void {
    let at: PathSet = this;
    for (const key of path) {
      const next = at.#below.get(key) ?? new PathSet();
      at.#below.set(key, next);
      at = next;
    }
    at.#isEnd = true;
  }

  /** Whether the path is not there, nor one above or below it. */
  isFree(path: readonly string[]): boolean {
    let at: PathSet | undefined = this;
    for (const key of path) {
      if (at.#isEnd) return false;
      at = at.#below.get(key);
      if (at === undefined) return true;
    }
    return false;
  }
}
