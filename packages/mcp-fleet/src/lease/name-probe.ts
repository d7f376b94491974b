import { readReplyTo, replySubject } from '../bus/fleet-subjects.js';
import type { FleetBus } from '../bus.js';
import { leaseKey } from '../catalog/records.js';
import { trySend } from '../try-send.js';

interface ProbeOptions {
  readonly node: string;
  /** Longest wait in milliseconds for a subscribed process to reply. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Subject of probes. Only processes that claim the name `node` use it. */
const probeSubject = (node: string) => `define.${node}.${node}`;

export function replyToProbes(bus: FleetBus, node: string): Disposable {
  return bus.subscribe(probeSubject(node), ({ replyTo }) => {
    const route = { kind: 'probe', requester: node, responder: node } as const;
    if (replyTo === undefined || readReplyTo(replyTo, route) === undefined) return;
    trySend(() => bus.publish(replyTo, new Uint8Array()));
  });
}

/**
 * True if another process with that node name replies or renews its lease. Returns at once if the bus reports no
 * subscriber.
 *
 * @throws {FleetError} `bus-down`, `closed`; or the signal's reason.
 */
export async function isAnotherAlive(bus: FleetBus, options: ProbeOptions): Promise<boolean> {
  const { node, signal } = options;
  const before = await bus.bucket.get(leaseKey(node), { signal });
  const verdict = await probe(bus, options);
  if (verdict !== 'silent') return verdict === 'answers';
  const after = await bus.bucket.get(leaseKey(node), { signal });
  return after?.revision !== before?.revision;
}

async function probe(bus: FleetBus, { node, waitMs, signal }: ProbeOptions): Promise<'answers' | 'nobody' | 'silent'> {
  signal.throwIfAborted();
  const replyTo = replySubject({ kind: 'probe', requester: node, responder: node }, crypto.randomUUID());
  const ended = new AbortController();
  try {
    return await new Promise((resolve, reject) => {
      const subscription = bus.subscribe(replyTo, ({ hasNoResponders }) =>
        resolve(hasNoResponders ? 'nobody' : 'answers'),
      );
      const timer = setTimeout(() => resolve('silent'), waitMs);
      const onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort);
      ended.signal.addEventListener('abort', () => {
        subscription[Symbol.dispose]();
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      });
      bus.publish(probeSubject(node), new Uint8Array(), { replyTo });
    });
  } finally {
    ended.abort();
  }
}
