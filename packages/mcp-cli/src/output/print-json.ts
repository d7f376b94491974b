import type { Io } from '../io.js';

/** One JSON document on stdout. `--json` prints nothing else there. */
export function printJson(value: unknown, { stdout }: Pick<Io, 'stdout'>): void {
  stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
