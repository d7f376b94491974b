/**
 * Counts clients. A server before revision 2026-07-28 has one connection for all of them, and state on it, such as
 * roots, is taken from a client only if there is no other.
 */
export class GatewayClients {
  #connections = 0;
  #handlers = 0;

  /** Counts until the result is disposed. */
  connect(): Disposable {
    this.#connections++;
    return once(() => this.#connections--);
  }

  /** Counts a handler with any number of clients, until the result is disposed. */
  admitMany(): Disposable {
    this.#handlers++;
    return once(() => this.#handlers--);
  }

  get isOne(): boolean {
    return this.#connections === 1 && this.#handlers === 0;
  }
}

function once(undo: () => void): Disposable {
  let isDone = false;
  return {
    [Symbol.dispose]: () => {
      if (!isDone) undo();
      isDone = true;
    },
  };
}
