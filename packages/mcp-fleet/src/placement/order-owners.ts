/** A node that could take a call. */
export interface CallTarget {
  readonly node: string;
  readonly isOwn: boolean;
  /** Calls that it is known to be busy with. */
  readonly inFlight: number;
}

/** Nodes in the order in which a call is to be offered to them: the own one first, then who has the least to do. */
export function orderOwners<Target extends CallTarget>(targets: readonly Target[]): readonly Target[] {
  return targets.toSorted(
    (a, b) =>
      Number(b.isOwn) - Number(a.isOwn) || a.inFlight - b.inFlight || (a.node < b.node ? -1 : a.node > b.node ? 1 : 0),
  );
}
