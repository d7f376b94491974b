import { format } from 'node:util';

export interface Heard {
  /** Everything that was given to `console.log` and `console.error` since, line by line. */
  readonly lines: string[];
}

/** From now on what the program prints is kept, to be compared with what its page shows, and not printed. */
export function listenToConsole(): Heard {
  const lines: string[] = [];
  const keep = (...values: unknown[]) => {
    lines.push(...format(...values).split('\n'));
  };
  Object.assign(console, { log: keep, error: keep });
  return { lines };
}
