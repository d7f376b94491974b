import { isFleetError } from './errors.js';

/** Sends unless the bus refuses. The receiver then finds out by its timeout or by the lease of this node. */
export function trySend(send: () => void): void {
  try {
    send();
  } catch (error) {
    if (!isFleetError(error)) throw error;
  }
}
