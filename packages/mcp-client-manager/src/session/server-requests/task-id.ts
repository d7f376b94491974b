/** Ids stay in memory while their tasks live, and are part of each request about them. */
const maxTaskIdBytes = 4_096;

export function isTaskId(value: unknown): value is string {
  // The first check avoids counting the bytes of very long ids.
  return typeof value === 'string' && value.length <= maxTaskIdBytes && Buffer.byteLength(value) <= maxTaskIdBytes;
}
