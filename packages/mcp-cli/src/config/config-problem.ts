import type { ConfigIssue } from '@x/mcp-config-schema';
import { printableLine } from '../output/print.js';

/** The reason why edited files are not in effect. */
export interface ConfigProblem {
  /** The first error with its place, known secrets redacted. */
  readonly message: string;
  /** Time of the version that stays in effect, in milliseconds since 1970. */
  readonly readAt: number;
}

/** The first error in one line; `undefined` without an error. */
export function reasonIn(issues: readonly ConfigIssue[]): string | undefined {
  const [first, ...others] = issues.filter(({ severity }) => severity === 'error');
  if (first === undefined) return undefined;
  const { file, line, column, message } = first;
  const place = file === undefined ? '' : `${file}:${line}:${column} `;
  return `${place}${withoutPeriod(message)}${others.length === 0 ? '' : ` (and ${others.length} more)`}`;
}

/** One line for people. `who`: the program with the earlier version. */
export function problemLine({ message, readAt }: ConfigProblem, who: string): string {
  return printableLine(`${withoutPeriod(message)}: ${who} runs the version of ${clock(new Date(readAt))}.`, 700);
}

function withoutPeriod(text: string): string {
  return text.replace(/\.$/, '');
}

/** Local time, with the date unless it is today. */
function clock(time: Date): string {
  const two = (part: number): string => String(part).padStart(2, '0');
  const hours = `${two(time.getHours())}:${two(time.getMinutes())}`;
  if (time.toDateString() === new Date().toDateString()) return hours;
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${hours}`;
}
