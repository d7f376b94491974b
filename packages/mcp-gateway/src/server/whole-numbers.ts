/** The longest that a timer can be set to, in milliseconds: beyond it, it fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** @throws {TypeError} naming the option that is no whole number of 1 to `most`. */
export function checkWhole(options: Readonly<Record<string, number>>, most: number): void {
  for (const [name, value] of Object.entries(options)) {
    if (Number.isInteger(value) && value >= 1 && value <= most) continue;
    throw new TypeError(`${name} must be a whole number of 1 to ${most}, got ${value}`);
  }
}
