// The contract between a registry's views and the packages that serve them.
export { AUDIT, type Audited, auditOf } from './views/audit-of.js';
export {
  type AskedPrompt,
  type AskedTemplate,
  type AuditedLimit,
  type CalledTool,
  type CallRecord,
  type PartLookup,
  recordCall,
  type ViewAudit,
} from './views/audit-trail.js';
export { callByName } from './views/call-by-name.js';
export { CALL_TOOL_VIEW } from './views/call-mcp-tool.js';
export { toErrorPayload, toErrorResult, toPayloadResult } from './views/error-results.js';
export { PEEK, type Peekable, peekTool, peekTools } from './views/peek-tools.js';
export { isRefusal, type Refusal } from './views/refusal.js';
export { type OfRole, ROLE, roleOf } from './views/role-of.js';
export type {
  AnySubject,
  PartSubject,
  RoleSubject,
  ServerSubject,
  ToolIdentity,
  ToolSubject,
} from './views/subjects.js';
export type { ToolView } from './views/tool-view.js';
export { ViewDecorator } from './views/view-decorator.js';
export type { ViewOptions } from './views/view-options.js';
