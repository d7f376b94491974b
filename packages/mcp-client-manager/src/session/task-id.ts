/** A longer id is no task's, in bytes: it is kept for as long as the task lives, and sent with each question about it. */
const maxTaskIdBytes = 4_096;

/** Whether a value that a server gave may be the id of a task. */
export function isTaskId(value: unknown): value is string {
  // A character takes a byte at least, so that a very long one need not be counted.
  return typeof value === 'string' && value.length <= maxTaskIdBytes && Buffer.byteLength(value) <= maxTaskIdBytes;
}
