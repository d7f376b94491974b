import type { FindingSeverity, ToolFinding } from './tool-finding.js';

/** A finding before its tool is added; `what` becomes its message. */
export type FindingDraft = Omit<ToolFinding, 'server' | 'tool' | 'message'> & { readonly what: string };

export const GRAVITY: Readonly<Record<FindingSeverity, number>> = { low: 0, medium: 1, high: 2 };
