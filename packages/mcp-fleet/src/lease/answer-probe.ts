import type { FleetBus } from '../bus.js';
import { leaseKey } from '../catalogue/records.js';
import { readReplyTo, replySubject } from '../reply-subject.js';
import { trySend } from '../try-send.js';

export interface ProbeOptions {
  readonly host: string;
  /** How long a process that listens and does not answer may take to be heard of, in milliseconds. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** The subject on which a host is asked whether it is there, by somebody who wants its name. */
const probeSubject = (host: string) => `define.${host}.${host}`;

/** Answers whoever asks whether this host is there. */
export function answerProbes(bus: FleetBus, host: string): Disposable {
  return bus.subscribe(probeSubject(host), ({ replyTo }) => {
    const place = { kind: 'probe', asker: host, answerer: host } as const;
    if (replyTo === undefined || readReplyTo(replyTo, place) === undefined) return;
    trySend(() => bus.publish(replyTo, new Uint8Array()));
  });
}

/**
 * Whether another process of that host name is alive: it answers, or it renews its lease. When the bus says that nobody
 * listens, nobody is waited for.
 *
 * @throws {FleetError} `bus-down`, `closed`; or the signal's reason.
 */
export async function isAnswering(bus: FleetBus, options: ProbeOptions): Promise<boolean> {
  const { host, signal } = options;
  const before = await bus.bucket.get(leaseKey(host), { signal });
  const verdict = await ask(bus, options);
  if (verdict !== 'silent') return verdict === 'answers';
  const after = await bus.bucket.get(leaseKey(host), { signal });
  return after?.revision !== before?.revision;
}

async function ask(bus: FleetBus, { host, waitMs, signal }: ProbeOptions): Promise<'answers' | 'nobody' | 'silent'> {
  signal.throwIfAborted();
  const replyTo = replySubject({ kind: 'probe', asker: host, answerer: host }, crypto.randomUUID());
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
      bus.publish(probeSubject(host), new Uint8Array(), { replyTo });
    });
  } finally {
    ended.abort();
  }
}
