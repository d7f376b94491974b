import { milliseconds, optionTable } from '@x/internal/options';
import type { AskApproval } from './approval-request.js';

/** How to ask for the approval of calls. */
export interface ApprovalAsking {
  /**
   * `elicitation` asks the user of the calling client, and trusts that client to do so; it cannot ask about a call that
   * is too long to be shown whole. Of several ways, the first that can ask does.
   */
  readonly ask: AskApproval | 'elicitation' | readonly (AskApproval | 'elicitation')[];
  /** Longest wait for an answer, in milliseconds. Default 300 000. */
  readonly timeoutMs?: number | undefined;
}

export const askingOptions = {
  ask: {
    kind: 'other',
    required: true,
    check: (ask: unknown) => (waysOf(ask).every(isWay) ? undefined : 'a function, "elicitation" or a list of these'),
  },
  timeoutMs: { ...milliseconds, default: 300_000 },
} as const;

const asking = optionTable<ApprovalAsking>()(askingOptions);

/** @throws {TypeError} naming the invalid option. */
export function checkAsking(given: ApprovalAsking): Required<ApprovalAsking> {
  return asking.read(given) as Required<ApprovalAsking>;
}

export function waysOf(ask: unknown): readonly unknown[] {
  return Array.isArray(ask) && ask.length > 0 ? ask : [ask];
}

function isWay(way: unknown): boolean {
  return way === 'elicitation' || typeof way === 'function';
}
