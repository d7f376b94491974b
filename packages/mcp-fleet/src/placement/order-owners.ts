export interface CallTarget {
  readonly node: string;
  readonly isOwn: boolean;
  readonly inFlight: number;
}

export function orderOwners<Target extends CallTarget>(targets: readonly Target[]): readonly Target[] {
  return targets.toSorted(
    (a, b) =>
      Number(b.isOwn) - Number(a.isOwn) || a.inFlight - b.inFlight || (a.node < b.node ? -1 : a.node > b.node ? 1 : 0),
  );
}
