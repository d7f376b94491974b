/** Number of kept names of former servers; the earliest are evicted. */
const MAX_GONE = 10_000;

/**
 * Names of servers that are or were attached, or are configured. Former names stay known, so that a rule never applies
 * to another server. A name is forgotten when it leaves the configuration.
 */
export class ServerNames {
  readonly #attached = new Set<string>();
  readonly #gone = new Set<string>();
  readonly #leaving = new Set<string>();
  #configured: ReadonlySet<string> = new Set();
  #listener: (names: readonly string[]) => void = () => undefined;

  /** Receives names that became known or were forgotten. There is one listener. */
  follow(listener: (names: readonly string[]) => void): void {
    this.#listener = listener;
  }

  knows(name: string): boolean {
    return this.#attached.has(name) || this.#configured.has(name) || this.#gone.has(name);
  }

  attach(name: string): void {
    const isKnown = this.knows(name);
    this.#attached.add(name);
    this.#gone.delete(name);
    if (!isKnown) this.#listener([name]);
  }

  detach(name: string): void {
    this.#attached.delete(name);
    if (this.#leaving.delete(name)) {
      this.#listener([name]);
      return;
    }
    this.#gone.add(name);
    const [earliest] = this.#gone;
    if (this.#gone.size > MAX_GONE && earliest !== undefined) this.#gone.delete(earliest);
  }

  configure(names: readonly string[]): void {
    const before = this.#configured;
    const after = new Set(names);
    const added = names.filter((name) => !this.knows(name));
    this.#configured = after;
    const left = Array.from(before).filter((name) => !after.has(name));
    for (const name of names) this.#leaving.delete(name);
    for (const name of left) {
      this.#gone.delete(name);
      if (this.#attached.has(name)) this.#leaving.add(name);
    }
    const changed = [...added, ...left.filter((name) => !this.knows(name))];
    if (changed.length > 0) this.#listener(changed);
  }
}

/** @throws {TypeError} */
export function checkServerNames(names: readonly string[]): readonly string[] {
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return [...names];
  throw new TypeError('knownServers must be a list of texts');
}
