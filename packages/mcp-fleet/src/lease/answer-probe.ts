import type { FleetBus } from '../bus.js';
import { leaseKey } from '../catalog/records.js';
import { readReplyTo, replySubject } from '../reply-subject.js';
import { trySend } from '../try-send.js';

export interface ProbeOptions {
  readonly node: string;
  /** How long a process that listens and does not answer may take to be heard of, in milliseconds. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** The subject on which a node is asked whether it is there, by somebody who wants its name. */
const probeSubject = (node: string) => `define.${node}.${node}`;

/** Answers whoever asks whether this node is there. */
export function answerProbes(bus: FleetBus, node: string): Disposable {
  return bus.subscribe(probeSubject(node), ({ replyTo }) => {
    const place = { kind: 'probe', asker: node, answerer: node } as const;
    if (replyTo === undefined || readReplyTo(replyTo, place) === undefined) return;
    trySend(() => bus.publish(replyTo, new Uint8Array()));
  });
}

/**
 * Whether another process of that node name is alive: it answers, or it renews its lease. When the bus says that nobody
 * listens, nobody is waited for.
 *
 * @throws {FleetError} `bus-down`, `closed`; or the signal's reason.
 */
export async function isAnswering(bus: FleetBus, options: ProbeOptions): Promise<boolean> {
  const { node, signal } = options;
  const before = await bus.bucket.get(leaseKey(node), { signal });
  const verdict = await ask(bus, options);
  if (verdict !== 'silent') return verdict === 'answers';
  const after = await bus.bucket.get(leaseKey(node), { signal });
  return after?.revision !== before?.revision;
}

async function ask(bus: FleetBus, { node, waitMs, signal }: ProbeOptions): Promise<'answers' | 'nobody' | 'silent'> {
  signal.throwIfAborted();
  const replyTo = replySubject({ kind: 'probe', asker: node, answerer: node }, crypto.randomUUID());
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
