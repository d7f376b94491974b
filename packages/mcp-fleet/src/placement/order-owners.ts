/** A host that could take a call. */
export interface CallTarget {
  readonly host: string;
  readonly isOwn: boolean;
  /** Calls that it is known to be busy with. */
  readonly inFlight: number;
}

/** Hosts in the order in which a call is to be offered to them: the own one first, then who has the least to do. */
export function orderOwners<Target extends CallTarget>(targets: readonly Target[]): readonly Target[] {
  return targets.toSorted(
    (a, b) =>
      Number(b.isOwn) - Number(a.isOwn) || a.inFlight - b.inFlight || (a.host < b.host ? -1 : a.host > b.host ? 1 : 0),
  );
}
