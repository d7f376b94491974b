import { ControlError } from './control/control-error.js';
import type { ServerRow, StatusReport } from './control/reports.js';
import { whyNotHere } from './fleet/elsewhere.js';
import { didYouMean } from './output/did-you-mean.js';

/**
 * Rows of the named servers in the order of the config; all rows without names.
 *
 * @throws {ControlError} `unknown-server`, with a suggestion; `runs-elsewhere` for a server of another node.
 */
export function namedRows({ servers: rows, fleet }: StatusReport, wanted: readonly string[]): readonly ServerRow[] {
  const names = rows.map(({ name }) => name);
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw (
      whyNotHere(fleet, unknown) ??
      new ControlError('unknown-server', `No server is named "${unknown}".`, {
        hint: `${didYouMean(unknown, names)}Configured: ${names.join(', ') || 'none'}.`,
      })
    );
  }
  return wanted.length === 0 ? rows : rows.filter(({ name }) => wanted.includes(name));
}
