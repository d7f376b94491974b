export interface Owned {
  readonly server: string;
  /** A URI, or a URI template. */
  readonly key: string;
}

/** Returns the server whose template has the longest common beginning with a URI; `undefined` for none or several. */
export function ownerByTemplate(uri: string, templates: readonly Owned[]): string | undefined {
  const [longest] = new TemplateStarts(templates).of(uri);
  return longest?.size === 1 ? [...longest][0] : undefined;
}

export function serversByTemplate(templates: readonly Owned[]): (text: string) => readonly string[] {
  const starts = new TemplateStarts(templates);
  return (text) => starts.of(text).flatMap((servers) => [...servers]);
}

/**
 * Indexes servers by the literal beginning of their templates. A template that begins with a variable identifies no
 * owner.
 */
class TemplateStarts {
  readonly #servers = new Map<string, Set<string>>();
  readonly #lengths: readonly number[];

  constructor(templates: readonly Owned[]) {
    for (const { server, key } of templates) {
      const literal = key.split('{', 1)[0] ?? '';
      if (literal === '') continue;
      const servers = this.#servers.get(literal) ?? new Set();
      this.#servers.set(literal, servers.add(server));
    }
    const lengths = new Set(Array.from(this.#servers.keys(), ({ length }) => length));
    this.#lengths = [...lengths].toSorted((left, right) => right - left);
  }

  /** Longest beginning first. */
  of(uri: string): readonly ReadonlySet<string>[] {
    return this.#lengths.flatMap((length) => {
      const servers = length > uri.length ? undefined : this.#servers.get(uri.slice(0, length));
      return servers ?? [];
    });
  }
}
