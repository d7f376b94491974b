/** Deadlines are ours, and one rule decides them; the SDK's own must never be the first. Longest that a timer takes. */
export const noTimeoutMs = 2_147_483_647;
