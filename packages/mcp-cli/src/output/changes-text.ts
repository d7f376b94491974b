import type { ReloadReport } from '../control/reports.js';
import { printable } from './print.js';

/** One line for each change; empty without changes. */
export function changesText(report: ReloadReport): string {
  const servers = (['added', 'removed', 'updated', 'restarted'] as const).flatMap((kind) =>
    report[kind].map((server) => `${kind.padEnd(9)} ${printable(server)}\n`),
  );
  const roles = report.roles.map((role) => `role      ${printable(role)}\n`);
  const trust = report.trust ? ['trust     tools that need an approval\n'] : [];
  const settings = report.settings ? ['settings  log_directory applies from the next start of each server\n'] : [];
  return [...servers, ...roles, ...trust, ...settings].join('');
}
