/**
 * How many clients a gateway has. A server of the revisions before 2026-07-28 has one connection for all of them, and what
 * it knows of its client, such as the client's roots, holds for everybody: it may come from a client only where there is
 * one.
 */
export class GatewayClients {
  #connections = 0;
  #handlers = 0;

  /** One connection more, until the result is disposed of. */
  connect(): Disposable {
    this.#connections++;
    return once(() => this.#connections--);
  }

  /** A way in for anybody, until the result is disposed of. */
  admitMany(): Disposable {
    this.#handlers++;
    return once(() => this.#handlers--);
  }

  /** Whether there is one, and nobody else can come but by the host app's own doing. */
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
