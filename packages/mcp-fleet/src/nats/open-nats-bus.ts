import type { FleetBus } from '../bus.js';
import { NatsBus } from './nats-bus.js';
import { type NatsBusOptions, resolveNatsOptions } from './options.js';

/**
 * Joins a fleet's bus on NATS, and makes the fleet's bucket if there is none. A connection that is lost later is made anew
 * until `close`, with credentials that are read anew.
 *
 * @throws {TypeError} An option makes no sense.
 * @throws {FleetError} `bus-down` (no server can be reached; unless `mustConnect` is `false`), `forbidden` (credentials, or
 *   what they allow), `unsuitable-bus` (no JetStream); or the signal's reason.
 */
export async function openNatsBus(options: NatsBusOptions): Promise<FleetBus> {
  const settings = resolveNatsOptions(options);
  const { signal } = options;
  signal?.throwIfAborted();
  const bus = new NatsBus(settings);
  const onAbort = () => void bus.close();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await bus.open();
    signal?.throwIfAborted();
    return bus;
  } catch (error) {
    const mayWait = !settings.mustConnect && !signal?.aborted;
    if (mayWait) return bus;
    await bus.close();
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
