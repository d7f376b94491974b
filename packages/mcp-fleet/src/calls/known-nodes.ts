/** What calls need to know of the other nodes. Who keeps their leases knows it. */
export interface KnownNodes {
  /** The node of that name whose lease holds, in its newest incarnation; `undefined` when there is none. */
  find(node: string): KnownNode | undefined;
  /** Calls `listener` when a node can be found that could not, or in a newer incarnation. */
  onFound(listener: (node: string, incarnation: number) => void): Disposable;
  /**
   * Calls `listener` when an incarnation counts no more: its lease is over, it has left, or a newer one has its name.
   * `find` shows that already.
   */
  onLost(listener: (node: string, incarnation: number) => void): Disposable;
}

/** A node whose lease holds. */
export interface KnownNode {
  readonly incarnation: number;
  /** What its principals are signed with: the public half, as a JSON Web Key. */
  readonly publicKey: Readonly<Record<string, unknown>>;
  /** What the node's own clock says now, in milliseconds of Unix time, as far as its heartbeats tell. */
  clockMs(): number;
}
