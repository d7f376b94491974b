/** Everything else in the process waits for no longer than this and one step of the work. */
export const TURN_MS = 16;

/** Lets everything else that waits have its turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
