import { isFleetError } from './errors.js';

/** Sends if the bus takes it. Whoever waits for it finds out by the time, or by the lease of this node. */
export function trySend(send: () => void): void {
  try {
    send();
  } catch (error) {
    if (!isFleetError(error)) throw error;
  }
}
