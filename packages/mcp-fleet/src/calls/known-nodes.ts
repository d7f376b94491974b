export interface KnownNodes {
  find(node: string): KnownNode | undefined;
  onFound(listener: (node: string, incarnation: number) => void): Disposable;
  /**
   * Calls `listener` after an incarnation ended: its lease expired, it left, or a newer one has its name. `find`
   * reflects the change.
   */
  onLost(listener: (node: string, incarnation: number) => void): Disposable;
}

export interface KnownNode {
  readonly incarnation: number;
  /** Public key of its principals, as a JSON Web Key. */
  readonly publicKey: Readonly<Record<string, unknown>>;
  /** Estimate of the node's own clock in milliseconds of Unix time, from its heartbeats. */
  clockMs(): number;
}
