/** What a broker lets one host do, in subjects without the driver's prefix. `*` and `>` as in a subscription. */
export interface BusPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** Keys of the bucket. Each host may read them all. */
  readonly write: readonly string[];
}

/**
 * What one host of a fleet needs, and no more: it writes its own keys, listens on what is meant for it, and sends in its
 * own name alone, for the sender is the last token of each subject. A singleton's key is everybody's: whoever holds it,
 * holds it by compare-and-set.
 */
export function hostPermissions(host: string): BusPermissions {
  return {
    publish: [`call.*.*.${host}`, `control.*.${host}`, `define.*.${host}`, `defined.${host}`, `reply.*.*.*.${host}`],
    subscribe: [`call.${host}.>`, `control.${host}.>`, `define.${host}.>`, 'defined.*', `reply.${host}.>`],
    write: [`lease.${host}`, `server.${host}.>`, 'singleton.>'],
  };
}
