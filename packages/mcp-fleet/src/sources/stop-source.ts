import { FleetError } from '../errors.js';
import type { FleetSource } from '../source.js';

/** Milliseconds; exceeds the longest configurable shutdown of a server. */
const STOP_TIMEOUT_MS = 60_000;

/**
 * Stops a source.
 *
 * @throws {FleetError} `timed-out`; or errors of the source.
 */
export async function stopSource(source: FleetSource): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const message = `"${source.name}" did not stop within ${STOP_TIMEOUT_MS} milliseconds`;
    timer = setTimeout(() => reject(new FleetError('timed-out', message, { server: source.name })), STOP_TIMEOUT_MS);
  });
  try {
    await Promise.race([source.stop?.(), late]);
  } finally {
    clearTimeout(timer);
  }
}
