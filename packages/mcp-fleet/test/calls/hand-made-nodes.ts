import type { KnownNode, KnownNodes } from '../../src/calls/known-nodes.js';

type Listener = (node: string, incarnation: number) => void;

/** Leases, as a test sets them. */
export class HandMadeNodes implements KnownNodes {
  readonly #nodes = new Map<string, KnownNode>();
  readonly #found = new Set<Listener>();
  readonly #lost = new Set<Listener>();

  find(node: string): KnownNode | undefined {
    return this.#nodes.get(node);
  }

  onFound(listener: Listener): Disposable {
    this.#found.add(listener);
    return { [Symbol.dispose]: () => void this.#found.delete(listener) };
  }

  onLost(listener: Listener): Disposable {
    this.#lost.add(listener);
    return { [Symbol.dispose]: () => void this.#lost.delete(listener) };
  }

  /** A lease is heard of. */
  add(name: string, { incarnation = 1, publicKey = {}, clockMs = Date.now }: Partial<KnownNode> = {}): void {
    const before = this.#nodes.get(name);
    this.#nodes.set(name, { incarnation, publicKey, clockMs });
    if (before !== undefined && before.incarnation !== incarnation) this.#tell(this.#lost, name, before.incarnation);
    this.#tell(this.#found, name, incarnation);
  }

  /** A lease is over. */
  lose(name: string): void {
    const before = this.#nodes.get(name);
    this.#nodes.delete(name);
    if (before !== undefined) this.#tell(this.#lost, name, before.incarnation);
  }

  /** Listeners for changes of nodes. */
  get listenerCount(): number {
    return this.#found.size + this.#lost.size;
  }

  #tell(listeners: ReadonlySet<Listener>, node: string, incarnation: number): void {
    for (const listener of Array.from(listeners)) listener(node, incarnation);
  }
}
