/** Everything else in the process waits for no longer than this and one step of the work. */
export const TURN_MS = 16;
