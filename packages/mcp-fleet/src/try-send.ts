import { isFleetError } from './errors.js';

/** Sends unless the bus refuses. The receiver's timeout or this node's lease then ends the receiver's wait. */
export function trySend(send: () => void): void {
  try {
    send();
  } catch (error) {
    if (!isFleetError(error)) throw error;
  }
}
