import type { ToolCallResult } from '@x/internal/contracts';
import type { CodePolicy } from './code-options.js';
import type { ProgramEnd } from './sandbox/messages.js';

/** How a program ended, or why it was ended. */
export type ProgramOutcome = ProgramEnd | { readonly kind: 'timed-out' } | { readonly kind: 'crashed' };

interface Answered {
  readonly log: readonly string[];
  /** Calls that were cancelled because the program ended. */
  readonly unfinished: number;
}

/** The answer to a model: the returned value or the fault, notes, the log. */
export function programAnswer(
  outcome: ProgramOutcome,
  { log, unfinished }: Answered,
  policy: CodePolicy,
): ToolCallResult {
  const { maxOutputCharacters: limit } = policy;
  const lines = log.join('\n');
  const text = [
    outcome.kind === 'returned' ? cut(outcome.text, outcome.length, limit) : faultOf(outcome, policy),
    ...(unfinished > 0
      ? [`(The program ended before ${unfinished} of its calls, which were cancelled: await them.)`]
      : []),
    ...(lines === '' ? [] : [`Log:\n${cut(lines, lines.length, limit)}`]),
  ].join('\n');
  return { content: [{ type: 'text', text }], ...(outcome.kind === 'returned' ? {} : { isError: true }) };
}

function faultOf(outcome: Exclude<ProgramOutcome, { kind: 'returned' }>, policy: CodePolicy): string {
  switch (outcome.kind) {
    case 'threw':
      return `${outcome.line === undefined ? '' : `Line ${outcome.line}: `}${outcome.message}`;
    case 'computed':
      return `The program computed for more than ${policy.maxComputeMs} milliseconds, which is its limit.`;
    case 'stuck':
      return 'The program waits for a promise that nothing settles. There are no timers: await only calls of tools.';
    case 'timed-out':
      return `The program did not end within ${policy.timeoutMs} milliseconds, which is its limit.`;
    case 'crashed':
      return 'The engine of the program ended.';
  }
}

function cut(text: string, length: number, limit: number): string {
  return length > limit ? `${text.slice(0, limit)}… (${length} characters, cut: return less)` : text;
}
