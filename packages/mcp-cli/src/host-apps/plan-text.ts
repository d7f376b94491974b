import type { SyncPlan, SyncStep } from '@x/mcp-host-sync';
import { printable, type Styles } from '../output/print.js';

/** A plan as text: a line and a diff per entry, then the issues. */
export function planText({ steps, issues }: SyncPlan, styles: Styles): string {
  const shown = steps.filter(({ type }) => type !== 'keep').map((step) => stepText(step, styles));
  const notes = issues.map(({ severity, code, server, host, message, hint }) => {
    const mark = severity === 'error' ? styles.red(severity) : styles.yellow(severity);
    const about = server === undefined ? host : `${server} (${host})`;
    return `${mark} ${code} ${printable(about)}: ${printable(message)}${hint === undefined ? '' : `\n  ${printable(hint)}`}\n`;
  });
  return [...shown, ...notes].join('');
}

function stepText(step: SyncStep, { green, red, yellow, bold }: Styles): string {
  const colour = { add: green, change: yellow, remove: red, conflict: red, keep: green }[step.type];
  const why = step.type === 'conflict' ? `: ${step.reason}, ${step.message}` : '';
  const headline = `${colour(step.type)} ${bold(printable(step.server))} (${printable(step.host)})${printable(why)}\n`;
  return `${headline}${diffText(step.diff, { green, red })}`;
}

function diffText(diff: string, { green, red }: Pick<Styles, 'green' | 'red'>): string {
  const lines = printable(diff)
    .split('\n')
    .filter((line, index, all) => line !== '' || index < all.length - 1);
  return lines
    .map((line) => {
      if (line.startsWith('+') && !line.startsWith('+++')) return `${green(line)}\n`;
      return line.startsWith('-') && !line.startsWith('---') ? `${red(line)}\n` : `${line}\n`;
    })
    .join('');
}

/** True if applying the plan would write a file. */
export function changesAnything({ steps, files }: SyncPlan): boolean {
  return steps.some(({ type }) => type === 'add' || type === 'change' || type === 'remove') || files.length > 0;
}
