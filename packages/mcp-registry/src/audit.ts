// Everything that can be imported from "@x/mcp-registry/audit". A new line here is new public API.
export type { AuditedLimit, InterceptorDecision } from '@x/internal/views';
export type {
  ArgumentShape,
  AuditDecision,
  AuditEvent,
  AuditEventBase,
  AuditedAttempt,
  AuditedPart,
  AuditedRule,
  AuditedTool,
  AuditOutcome,
  CallAuditEvent,
  CompleteAuditEvent,
  DescribeAuditEvent,
  ListAuditEvent,
  PassOnAuditEvent,
  PromptAuditEvent,
  ReadAuditEvent,
  SearchAuditEvent,
  SubscribeAuditEvent,
} from './audit/audit-event.js';
export type { AuditFailure, AuditSink } from './audit/audit-recorder.js';
