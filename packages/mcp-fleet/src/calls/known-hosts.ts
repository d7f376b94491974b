/** What calls need to know of the other hosts. Who keeps their leases knows it. */
export interface KnownHosts {
  /** The host of that name whose lease holds, in its newest incarnation; `undefined` when there is none. */
  find(host: string): KnownHost | undefined;
  /** Calls `listener` when a host can be found that could not, or in a newer incarnation. */
  onFound(listener: (host: string, incarnation: number) => void): Disposable;
  /**
   * Calls `listener` when an incarnation counts no more: its lease is over, it has left, or a newer one has its name.
   * `find` shows that already.
   */
  onLost(listener: (host: string, incarnation: number) => void): Disposable;
}

/** A host whose lease holds. */
export interface KnownHost {
  readonly incarnation: number;
  /** What its principals are signed with: the public half, as a JSON Web Key. */
  readonly publicKey: Readonly<Record<string, unknown>>;
  /** What the host's own clock says now, in milliseconds of Unix time, as far as its heartbeats tell. */
  clockMs(): number;
}
