/** True if a value nests objects and arrays more than `levels` deep. Recurses no deeper than that. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(levels - 1, item)) return true;
    return false;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const key in members) if (isDeeperThan(levels - 1, members[key])) return true;
  return false;
}
