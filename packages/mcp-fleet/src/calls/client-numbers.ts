/** Primitive values that are told apart at a time. */
const MAX_PRIMITIVES = 10_000;

/** A number for each client, so that another host can tell whether two calls are of the same one without knowing it. */
export class ClientNumbers {
  readonly #ofObjects = new WeakMap<object, number>();
  readonly #ofPrimitives = new Map<unknown, number>();
  #last = 0;

  of(client: unknown): number {
    const isObject = (typeof client === 'object' && client !== null) || typeof client === 'function';
    const known = isObject ? this.#ofObjects.get(client) : this.#ofPrimitives.get(client);
    const number = known ?? ++this.#last;
    if (isObject) this.#ofObjects.set(client, number);
    else this.#remember(client, number);
    return number;
  }

  // The one that was seen longest ago goes: a client that comes again then counts as another one.
  #remember(client: unknown, number: number): void {
    this.#ofPrimitives.delete(client);
    this.#ofPrimitives.set(client, number);
    if (this.#ofPrimitives.size <= MAX_PRIMITIVES) return;
    const [oldest] = this.#ofPrimitives.keys();
    this.#ofPrimitives.delete(oldest);
  }
}
