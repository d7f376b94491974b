import { BoundedMap } from '@x/internal/limits';

/** Primitive values that are told apart at a time. */
const MAX_PRIMITIVES = 10_000;

/** A number for each client, so that another node can tell whether two calls are of the same one without knowing it. */
export class ClientNumbers {
  readonly #ofObjects = new WeakMap<object, number>();
  /** By when each was last seen. A client that was dropped and comes again counts as another one. */
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
