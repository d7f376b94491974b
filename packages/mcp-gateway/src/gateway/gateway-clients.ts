/**
 * Number of clients of a gateway. A server of the revisions before 2026-07-28 has one connection for all of them, and
 * client state on it, such as roots, applies to all: it is taken from a client only if there is just one.
 */
export class GatewayClients {
  #connections = 0;
  #handlers = 0;

  /** Counts one connection, until the result is disposed. */
  connect(): Disposable {
    this.#connections++;
    return once(() => this.#connections--);
  }

  /** Counts an open entrance, until the result is disposed. */
  admitMany(): Disposable {
    this.#handlers++;
    return once(() => this.#handlers--);
  }

  /** True if there is one client, and the app has opened no entrance for others. */
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
