import type { CallToolOptions } from '@x/internal/contracts';
import { checkOption, longestTimerMs, type OptionCheck, refuseUnknown, requireObject } from '@x/internal/options';

const callOptions = {
  signal: { kind: 'signal' },
  timeoutMs: { kind: 'other', check: timeoutFault },
  onProgress: { kind: 'function' },
  meta: { kind: 'object' },
  handler: { kind: 'object' },
} as const satisfies { readonly [Name in keyof CallToolOptions]-?: OptionCheck };
const callOptionNames = Object.keys(callOptions) as (keyof CallToolOptions)[];
const knownCallOptions: ReadonlySet<string> = new Set(callOptionNames);

/** Not by a table, which would copy the options of each call. @throws {TypeError} naming the invalid option. */
export function checkCallOptions(options: CallToolOptions): void {
  if (options?.constructor !== Object) requireObject('options', options, callOptionNames);
  for (const name in options) if (!knownCallOptions.has(name)) refuseUnknown(name, callOptionNames);
  for (const name of callOptionNames) {
    const value = options[name];
    if (value !== undefined) checkOption(name, callOptions[name], value);
  }
}

function timeoutFault(timeoutMs: unknown): string | undefined {
  if (Number.isFinite(timeoutMs) && Number(timeoutMs) > 0 && Number(timeoutMs) <= longestTimerMs) return undefined;
  return `more than 0 and at most ${longestTimerMs} milliseconds, got ${timeoutMs}`;
}
