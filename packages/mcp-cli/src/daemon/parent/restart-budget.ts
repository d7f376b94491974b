/** Same limits as for crashes of a server. */
const firstDelayMs = 250;
const maxDelayMs = 60_000;
const burst = { crashes: 5, withinMs: 60_000 };
const maxCrashes = 10;
/** After this uptime earlier crashes no longer count. */
const stableMs = 120_000;

/** Times of crashes since the last stable period, in milliseconds. */
export type CrashHistory = readonly number[];

type CrashVerdict =
  | { readonly next: 'restart'; readonly delayMs: number; readonly history: CrashHistory }
  | { readonly next: 'park'; readonly history: CrashHistory };

/**
 * Decides after a crash of a worker that was ready since `readySince`, if ever.
 *
 * @param random - From 0 to 1. Half of each delay is jitter, so that daemons do not restart together.
 */
export function afterCrash(
  history: CrashHistory,
  {
    now,
    readySince,
    random,
  }: { readonly now: number; readonly readySince: number | undefined; readonly random: number },
): CrashVerdict {
  const isStable = readySince !== undefined && now - readySince >= stableMs;
  const crashes = [...(isStable ? [] : history), now];
  const recent = crashes.filter((crash) => now - crash < burst.withinMs);
  if (recent.length >= burst.crashes || crashes.length >= maxCrashes) return { next: 'park', history: crashes };
  const fullMs = Math.min(firstDelayMs * 2 ** (crashes.length - 1), maxDelayMs);
  return { next: 'restart', delayMs: (fullMs / 2) * (1 + random), history: crashes };
}
