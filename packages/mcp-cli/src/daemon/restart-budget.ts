/** The worker's crashes are counted as those of a server are. */
const firstDelayMs = 250;
const maxDelayMs = 60_000;
const burst = { crashes: 5, withinMs: 60_000 };
const maxCrashes = 10;
/** Up for so long, and what was before is forgotten. */
const stableMs = 120_000;

/** Crashes with no stable time between them, as moments of a clock that never jumps, in milliseconds. */
export type CrashHistory = readonly number[];

export type CrashVerdict =
  | { readonly next: 'restart'; readonly delayMs: number; readonly history: CrashHistory }
  | { readonly next: 'park'; readonly history: CrashHistory };

/**
 * What comes after a crash at `now` of a worker that had been up since `readySince`, if it ever was.
 *
 * @param random - From 0 to 1: half of each delay is left to chance, so that daemons which fell together do not rise together.
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
