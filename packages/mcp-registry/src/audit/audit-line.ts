import { escapeForJson } from '@x/internal/text';
import type { AuditEvent } from './audit-event.js';

/** Stands in an audit log where events are missing. */
export interface DroppedAuditLine {
  readonly time: string;
  readonly action: 'dropped';
  /** How many events came while the log could not be written and its queue was full. */
  readonly dropped: number;
}

/** One line of the log: an event, or how many were dropped. */
export type AuditLine = AuditEvent | DroppedAuditLine;

/** One line of JSON. What a terminal or an editor would act upon or hide is escaped, and reads the same as JSON. */
export function toAuditLine(line: AuditLine): string {
  return `${JSON.stringify(line).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu, escapeForJson)}\n`;
}
