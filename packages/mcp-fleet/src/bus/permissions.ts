/** Permissions of one node on a broker, as subscription patterns without the driver's prefix. */
export interface BusPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** Writable keys of the bucket. Every node may read all keys. */
  readonly write: readonly string[];
}

/**
 * Least permissions of a node: it writes its own keys, subscribes to its own subjects, and publishes under its own
 * name, the last token of each subject. Every node may write singleton keys; compare-and-set protects holders.
 */
export function nodePermissions(node: string): BusPermissions {
  return {
    publish: [`call.*.*.${node}`, `control.*.${node}`, `define.*.${node}`, `defined.${node}`, `reply.*.*.*.${node}`],
    subscribe: [`call.${node}.>`, `control.${node}.>`, `define.${node}.>`, 'defined.*', `reply.${node}.>`],
    write: [`lease.${node}`, `server.${node}.>`, 'singleton.>'],
  };
}
