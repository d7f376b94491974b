import type { Sample } from './page-messages.js';

// The daemon and the page keep the same samples, so this file imports types only.

/** Samples per server. */
export const maxSamples = 120;

/**
 * At most `maxSamples` of these samples, oldest first. Changes of state stay longest; of the others old ones become
 * sparse, so that the memory of hours fits.
 */
export function keptSamples(samples: readonly Sample[]): readonly Sample[] {
  let kept = samples;
  while (kept.length > maxSamples) kept = kept.toSpliced(leastNeeded(kept), 1);
  return kept;
}

/** The sample whose neighbours are closest for its age; the oldest if each of them is a change of state. */
function leastNeeded(samples: readonly Sample[]): number {
  const now = samples.at(-1)?.at ?? 0;
  let least = 0;
  let leastGap = Number.POSITIVE_INFINITY;
  for (let index = 1; index < samples.length - 1; index += 1) {
    const sample = samples[index] as Sample;
    const before = samples[index - 1] as Sample;
    const after = samples[index + 1] as Sample;
    if (before.state !== sample.state || before.health !== sample.health) continue;
    const gap = (after.at - before.at) / (now - sample.at + recentMs);
    if (gap >= leastGap) continue;
    least = index;
    leastGap = gap;
  }
  return least;
}

/** Samples of the last minutes stay as dense as they come. */
const recentMs = 120_000;
