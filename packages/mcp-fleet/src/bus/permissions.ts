/** What a broker lets one node do, in subjects without the driver's prefix. `*` and `>` as in a subscription. */
export interface BusPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** Keys of the bucket. Each node may read them all. */
  readonly write: readonly string[];
}

/**
 * What one node of a fleet needs, and no more: it writes its own keys, listens on what is meant for it, and sends in its
 * own name alone, for the sender is the last token of each subject. A singleton's key is everybody's: whoever holds it,
 * holds it by compare-and-set.
 */
export function nodePermissions(node: string): BusPermissions {
  return {
    publish: [`call.*.*.${node}`, `control.*.${node}`, `define.*.${node}`, `defined.${node}`, `reply.*.*.*.${node}`],
    subscribe: [`call.${node}.>`, `control.${node}.>`, `define.${node}.>`, 'defined.*', `reply.${node}.>`],
    write: [`lease.${node}`, `server.${node}.>`, 'singleton.>'],
  };
}
