import { escapeForJson } from '@x/internal/text';
import type { AuditEvent } from './audit-event.js';

/** Marks missing events in an audit log. */
export interface DroppedAuditLine {
  readonly time: string;
  readonly action: 'dropped';
  /** Number of events that arrived while the log could not be written and its queue was full. */
  readonly dropped: number;
}

/** One line of the log: an event, or a number of dropped ones. */
export type AuditLine = AuditEvent | DroppedAuditLine;

/**
 * One line of JSON. Characters that a terminal or an editor would obey or hide are escaped, without a change of the
 * value.
 */
export function toAuditLine(line: AuditLine): string {
  return `${JSON.stringify(line).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu, escapeForJson)}\n`;
}
