/**
 * The number that an answer's id stands for. Some servers send it back as text, which every client on the SDK takes: that
 * counts in the one spelling that the number has, so that `"5.0"`, `" 5"` and `"0x5"` are nobody's ids.
 */
export function numberOfId(id: unknown): number | undefined {
  if (typeof id === 'number') return id;
  if (typeof id !== 'string') return undefined;
  const number = Number(id);
  return String(number) === id ? number : undefined;
}
