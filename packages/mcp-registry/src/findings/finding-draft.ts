import type { FindingSeverity, ToolFinding } from './tool-finding.js';

/** A finding without its tool; `what` becomes its message. */
export type FindingDraft = Omit<ToolFinding, 'server' | 'tool' | 'message'> & { readonly what: string };

/** Higher is more severe. */
export const GRAVITY: Readonly<Record<FindingSeverity, number>> = { low: 0, medium: 1, high: 2 };
