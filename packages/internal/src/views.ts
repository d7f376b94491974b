// The contract between a registry's views and the packages that serve them.

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
export { CALL_TOOL_VIEW, callByName } from './views/call-mcp-tool.js';
export { type CodeTool, type CodeToolView, codeOption } from './views/code-tool.js';
export { toErrorResult } from './views/error-results.js';
export { type PassedOn, passedOn, passingOn } from './views/passed-on.js';
export type {
  AnySubject,
  PartSubject,
  RoleSubject,
  ServerSubject,
  ToolIdentity,
  ToolSubject,
  ToolView,
  ViewOptions,
} from './views/tool-view.js';
export { ViewDecorator } from './views/view-decorator.js';
export {
  AUDIT,
  type Audited,
  auditOf,
  INSTRUCTIONS,
  type Instructing,
  instructionsIn,
  type OfRole,
  PEEK,
  type Peekable,
  peekTool,
  peekTools,
  ROLE,
  requireView,
  roleOf,
  type ServerInstructions,
} from './views/view-keys.js';
