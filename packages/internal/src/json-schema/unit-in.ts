const UNIT =
  /\b(?:in|as) (milliseconds|seconds|minutes|hours|days|bytes|kilobytes|megabytes|pixels|points|inches|percent|degrees|met(?:er|re)s|kilomet(?:er|re)s|miles)\b|\((ms|milliseconds|seconds|minutes|hours|days|bytes|px|pixels|percent|%|km|meters)\)/i;

/** ` (seconds)`, if the description of a number says so. */
export function unitIn(description: unknown): string {
  if (typeof description !== 'string') return '';
  const [, worded, bracketed] = UNIT.exec(description.slice(0, 300)) ?? [];
  const unit = worded ?? bracketed;
  return unit === undefined ? '' : ` (${unit.toLowerCase()})`;
}
