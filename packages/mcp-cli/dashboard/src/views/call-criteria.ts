import type { CallView } from '../../../src/dashboard/page-messages.js';
import { hasWords } from '../format.js';

/** Fields whose values can be listed. */
export const choices = ['server', 'client', 'role', 'outcome'] as const;
export type Choice = (typeof choices)[number];
const typed = ['q', 'tool', 'took', 'since', 'until'] as const;

/**
 * Empty: any. `q`: words in any text of the call, and of its record. `took`: see `durationLimit`. `since`, `until`: local
 * times as of `<input type="datetime-local">`, which include the second that they name.
 */
export type ChosenCalls = Readonly<Record<Choice | (typeof typed)[number], string>>;

const nobody = '–';

/** A call without a client or role has the value `–`. */
export function textOf(call: CallView, name: Choice): string {
  return call[name] ?? nobody;
}

/** @param found - Ids of records that have the words. */
export function callsLike(
  { q, tool, took, since, until, ...exact }: ChosenCalls,
  found: ReadonlySet<number>,
): (call: CallView) => boolean {
  const wanted = choices.filter((name) => exact[name] !== '');
  const limit = durationLimit(took);
  const first = since === '' ? Number.NEGATIVE_INFINITY : Date.parse(since);
  const end = until === '' ? Number.POSITIVE_INFINITY : Date.parse(until) + 1_000;
  return (call) => {
    if (!wanted.every((name) => textOf(call, name) === exact[name])) return false;
    if (call.at < first || call.at >= end) return false;
    if (limit && !limit(call.durationMs)) return false;
    if (!hasWords([call.tool], tool)) return false;
    if (call.record !== undefined && found.has(call.record)) return true;
    return hasWords([call.tool, call.server, call.client, call.role, call.outcome, call.error], q);
  };
}

const units: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1_000, min: 60_000 };

/**
 * `>100ms`, `< 2 s`, `1.5 min`; without a sign at least as long, without a unit milliseconds. A call under way has no
 * duration, and is never within.
 *
 * @returns `undefined` for any other text.
 */
export function durationLimit(text: string): ((durationMs: number | undefined) => boolean) | undefined {
  const [, sign = '', digits, unit = ''] = /^\s*([<>]?)\s*(\d+(?:\.\d+)?)\s*(ms|s|min|)\s*$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const limit = Number(digits) * (units[unit] ?? 1);
  return (ms) => ms !== undefined && (sign === '<' ? ms < limit : sign === '>' ? ms > limit : ms >= limit);
}
