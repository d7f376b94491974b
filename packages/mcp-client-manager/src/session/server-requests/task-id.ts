/** Longest task id in bytes. The id stays in memory while the task lives, and is part of each request about it. */
const maxTaskIdBytes = 4_096;

/** Validates a task id from a server. */
export function isTaskId(value: unknown): value is string {
  // Each character has at least one byte: the first check avoids counting the bytes of very long ids.
  return typeof value === 'string' && value.length <= maxTaskIdBytes && Buffer.byteLength(value) <= maxTaskIdBytes;
}
