import { BoundedMap } from '@x/internal/limits';

const MAX_PRIMITIVES = 10_000;

/** Numbers clients, so that other nodes can compare clients of two calls. */
export class ClientNumbers {
  readonly #ofObjects = new WeakMap<object, number>();
  /** Least recently used values are dropped; such a client later gets a new number. */
  readonly #ofPrimitives = new BoundedMap<unknown, number>(MAX_PRIMITIVES);
  #last = 0;

  of(client: unknown): number {
    const isObject = (typeof client === 'object' && client !== null) || typeof client === 'function';
    const known = isObject ? this.#ofObjects.get(client) : this.#ofPrimitives.get(client);
    const number = known ?? ++this.#last;
    if (isObject) this.#ofObjects.set(client, number);
    else this.#ofPrimitives.renew(client, number);
    return number;
  }
}
