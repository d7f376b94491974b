import type { ToolFinding } from './tool-finding.js';

/** A finding before it is known whose text it is; `what` becomes its message. */
export type FindingDraft = Omit<ToolFinding, 'server' | 'tool' | 'message'> & { readonly what: string };
