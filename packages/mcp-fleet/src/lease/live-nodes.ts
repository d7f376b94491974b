import { Listeners } from '@x/internal/events';
import type { KnownNode, KnownNodes } from '../calls/known-nodes.js';
import type { LeaseTable } from './lease-table.js';

interface Life {
  readonly node: string;
  readonly incarnation: number;
}

export class LiveNodes implements KnownNodes {
  readonly #leases: LeaseTable;
  readonly #known = new Map<string, number>();
  readonly #found = new Listeners<Life>('found');
  readonly #lost = new Listeners<Life>('lost');

  constructor(leases: LeaseTable) {
    this.#leases = leases;
  }

  find(node: string): KnownNode | undefined {
    const lease = this.#leases.get(node);
    if (!lease?.isAlive) return undefined;
    const { incarnation, publicKey } = lease.record;
    return { incarnation, publicKey, clockMs: () => this.#leases.clockOf(node, performance.now()) ?? 0 };
  }

  onFound(listener: (node: string, incarnation: number) => void): Disposable {
    return this.#found.add(({ node, incarnation }) => listener(node, incarnation));
  }

  onLost(listener: (node: string, incarnation: number) => void): Disposable {
    return this.#lost.add(({ node, incarnation }) => listener(node, incarnation));
  }

  /** Notifies listeners if an incarnation of the node was lost or found. Call after each change of the node's lease. */
  update(node: string): void {
    const before = this.#known.get(node);
    const now = this.find(node)?.incarnation;
    if (now === before) return;
    if (now === undefined) this.#known.delete(node);
    else this.#known.set(node, now);
    if (before !== undefined) this.#lost.tell({ node, incarnation: before });
    if (now !== undefined) this.#found.tell({ node, incarnation: now });
  }
}
