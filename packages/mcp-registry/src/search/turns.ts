/** Longest block of other work, apart from one step, in milliseconds. */
export const TURN_MS = 16;
