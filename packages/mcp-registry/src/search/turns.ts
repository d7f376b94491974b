/** Longest time, besides one step of the work, that other work in the process waits. */
export const TURN_MS = 16;
