import { escapeForJson } from '@x/internal/text';
import type { AuditEvent } from './audit-event.js';

/** Marks missing events in an audit log. */
export interface DroppedAuditLine {
  readonly time: string;
  readonly action: 'dropped';
  /** Number of events that found the queue full. */
  readonly dropped: number;
}

/** One line of the log. */
export type AuditLine = AuditEvent | DroppedAuditLine;

/** One line of JSON. Escapes characters that terminals or editors obey or hide. */
export function toAuditLine(line: AuditLine): string {
  return `${JSON.stringify(line).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu, escapeForJson)}\n`;
}
