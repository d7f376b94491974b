// The contract between a registry's views and the packages that serve them.

export {
  type AskedPrompt,
  type AskedTemplate,
  type AuditedLimit,
  type CalledTool,
  type CallRecord,
  type DecisionSink,
  decisionSink,
  type InterceptorDecision,
  type PartLookup,
  recordCall,
  type ViewAudit,
} from './views/audit-trail.js';
export { CALL_TOOL_VIEW, callByName } from './views/call-mcp-tool.js';
export { type CodeTool, type CodeToolView, codeOption } from './views/code-tool.js';
export { toErrorResult } from './views/error-results.js';
export {
  interceptAnswer,
  interceptedHandler,
  interceptedOptions,
  interceptMessage,
  interceptNotification,
  plainHandler,
  seesMessages,
  withPlainHandler,
} from './views/intercepted-messages.js';
export {
  type CallChanges,
  INTERCEPTORS,
  type Intercepted,
  type InterceptedCall,
  type InterceptedMessage,
  type InterceptedPrompt,
  type InterceptedRead,
  type InterceptedRequest,
  type InterceptedResult,
  type Interceptor,
  type InterceptorParts,
  interceptorsOf,
  type LateResult,
  type NextCall,
  type NextRequest,
  type PendingPrompt,
  type PendingRead,
  type RequestResult,
  type ViewInterceptors,
} from './views/interceptors.js';
export { forProgram, isForProgram, type PassedOn, passedOn, passingOn } from './views/passed-on.js';
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
