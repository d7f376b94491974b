/** At most `count` requests of a role or server in `perMs` milliseconds. */
export interface RateLimit {
  readonly name: string;
  readonly count: number;
  readonly perMs: number;
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses `review=60/m`. Names may contain `=`. `undefined` for other forms. */
export function parseLimit(text: string): RateLimit | undefined {
  const [, name, digits, unit] = /^(.+)=(\d{1,9})\/([smh])$/s.exec(text) ?? [];
  const perMs = units[unit ?? ''];
  const count = Number(digits);
  if (name === undefined || perMs === undefined || count === 0) return undefined;
  return { name, count, perMs };
}

/** For the gateway. The last limit for a name applies. */
export function ratesByName(
  limits: readonly RateLimit[],
): Readonly<Record<string, { readonly requests: number; readonly perMs: number }>> {
  return Object.fromEntries(limits.map(({ name, count: requests, perMs }) => [name, { requests, perMs }]));
}
