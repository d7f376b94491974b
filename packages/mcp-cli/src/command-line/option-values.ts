import { InvalidArgumentError } from 'commander';

/** Collects the values of a repeatable option. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };
}

/** Parses seconds, at most one day. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 86_400) return value;
  throw new InvalidArgumentError('Give a number of seconds, more than 0 and at most 86400.');
}

/** Parses minutes, at most 30 days. */
export function positiveMinutes(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 43_200) return value;
  throw new InvalidArgumentError('Give a number of minutes, more than 0 and at most 43200.');
}
