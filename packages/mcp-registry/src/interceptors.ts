// Everything that can be imported from "@x/mcp-registry/interceptors". A new line here is new public API.
export type { Rate } from '@x/internal/limits';
export type {
  CallChanges,
  InterceptedCall,
  InterceptedMessage,
  InterceptedPrompt,
  InterceptedRead,
  InterceptedRequest,
  InterceptedResult,
  Interceptor,
  InterceptorDecision,
  NextCall,
  NextRequest,
  RequestResult,
} from '@x/internal/views';
export type { ApprovalDecision, ApprovalQueue, ApprovalQueueEvents } from './interceptors/approval/approval-queue.js';
export { createApprovalQueue } from './interceptors/approval/approval-queue.js';
export type {
  ApprovalAnswer,
  ApprovalContext,
  ApprovalRequest,
  AskApproval,
} from './interceptors/approval/approval-request.js';
export type { ApprovalRules } from './interceptors/approval/approval-rules.js';
export { approveByRole } from './interceptors/approval/approve-by-role.js';
export type { ApprovalOptions } from './interceptors/approval/approve-calls.js';
export { approveCalls } from './interceptors/approval/approve-calls.js';
export type { ApprovalAsking } from './interceptors/approval/asking.js';
export type { RoleApproval } from './interceptors/approval/late-approval.js';
export { type ArgumentPreset, presetArguments } from './interceptors/argument-presets.js';
export { type CallRate, limitRates } from './interceptors/call-rates.js';
export { cacheReads, type ReadCacheOptions } from './interceptors/read-cache.js';
export type { RedactResultsOptions } from './interceptors/redact-results.js';
export { redactResults } from './interceptors/redact-results.js';
export type { ResultLimitOptions } from './interceptors/result-limits/limit-results.js';
export { limitResults } from './interceptors/result-limits/limit-results.js';
export { preload } from './interceptors/result-limits/read-result-tool.js';
export { spotlightResults } from './interceptors/spotlight-results.js';
