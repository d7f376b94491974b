import type { ToolCallResult } from '@x/internal/contracts';
import type { CodePolicy } from './code-options.js';
import type { ProgramEnd } from './sandbox/messages.js';

/** How a program ended, or why it was ended. */
export type ProgramOutcome = ProgramEnd | { readonly kind: 'timed-out' } | { readonly kind: 'crashed' };

interface Answered {
  readonly log: readonly string[];
  /** Characters, with those that were dropped. */
  readonly logLength: number;
  /** Calls that were cancelled because the program ended. */
  readonly unfinished: number;
}

/** The answer to a model: the returned value or the fault, notes, the log. */
export function programAnswer(
  outcome: ProgramOutcome,
  { log, logLength, unfinished }: Answered,
  policy: CodePolicy,
): ToolCallResult {
  const { maxOutputCharacters: limit } = policy;
  const lines = log.join('\n');
  const text = [
    outcome.kind === 'returned'
      ? cut(outcome.text, { length: outcome.length, limit, way: 'return' })
      : faultOf(outcome, policy),
    ...(unfinished > 0 && (outcome.kind === 'returned' || outcome.kind === 'threw')
      ? [`(The program ended before ${unfinished} of its calls, which were cancelled: await them.)`]
      : []),
    ...(lines === '' ? [] : [`Log:\n${cut(lines, { length: logLength, limit, way: 'log' })}`]),
  ].join('\n');
  return { content: [{ type: 'text', text }], ...(outcome.kind === 'returned' ? {} : { isError: true }) };
}

/** The answer while as many programs run as may. */
export function busyAnswer(reason: string): ToolCallResult {
  const message = `${reason} Try again later.`;
  return {
    content: [{ type: 'text', text: message }],
    structuredContent: { error: { code: 'busy', message } },
    isError: true,
  };
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

interface CutOptions {
  /** Of the whole text, in characters. */
  readonly length: number;
  readonly limit: number;
  readonly way: 'return' | 'log';
}

function cut(text: string, { length, limit, way }: CutOptions): string {
  return length > limit ? `${text.slice(0, limit)}… (${length} characters, cut: ${way} less)` : text;
}
