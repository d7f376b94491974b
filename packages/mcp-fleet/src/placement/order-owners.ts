/** Node that may receive a call. */
export interface CallTarget {
  readonly node: string;
  readonly isOwn: boolean;
  /** Known calls in progress. */
  readonly inFlight: number;
}

/** Candidates for a call: this node first, then by calls in progress. */
export function orderOwners<Target extends CallTarget>(targets: readonly Target[]): readonly Target[] {
  return targets.toSorted(
    (a, b) =>
      Number(b.isOwn) - Number(a.isOwn) || a.inFlight - b.inFlight || (a.node < b.node ? -1 : a.node > b.node ? 1 : 0),
  );
}
