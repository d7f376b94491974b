import type { FleetBus } from '../bus.js';
import { NatsBus } from './nats-bus.js';
import { type NatsBusOptions, resolveNatsOptions } from './options.js';

/**
 * Connects to a fleet's bus on NATS and creates its bucket if missing. Reconnects until `close`, reading credentials
 * anew.
 *
 * @throws {TypeError} An option is invalid.
 * @throws {FleetError} `bus-down` (no server is reachable; unless `mustConnect` is `false`), `forbidden` (credentials
 *   or permissions), `unsuitable-bus` (no JetStream); or the signal's reason.
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
