/** Stands for values beyond the bound, as in the conventions. */
export const OTHER = '_OTHER';

/** Values of a metric's attribute: the first `max`, then `_OTHER`. */
export class KnownValues {
  readonly #known: Set<string>;
  readonly #max: number;

  constructor(max: number, first: readonly string[] = []) {
    this.#max = max;
    this.#known = new Set(first);
  }

  has(value: string): boolean {
    return this.#known.has(value);
  }

  /** @param isReal - False for a name that may exist nowhere, which takes no place. */
  bounded(value: string, { isReal = true }: { readonly isReal?: boolean } = {}): string {
    if (this.#known.has(value)) return value;
    if (!isReal || this.#known.size >= this.#max) return OTHER;
    this.#known.add(value);
    return value;
  }
}

/** Methods of all revisions. Clients and servers may send any others. */
export const methods = [
  'completion/complete',
  'elicitation/create',
  'initialize',
  'logging/setLevel',
  'ping',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/templates/list',
  'resources/unsubscribe',
  'roots/list',
  'sampling/createMessage',
  'server/discover',
  'subscriptions/listen',
  'tasks/cancel',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tasks/update',
  'tools/call',
  'tools/list',
];
