// Everything that can be imported from "@x/mcp-registry/interceptors". A new line here is new public API.
export type { Rate } from '@x/internal/limits';
export type {
  CallChanges,
  InterceptedCall,
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
export { type ArgumentPreset, presetArguments } from './interceptors/argument-presets.js';
export { type CallRate, limitRates } from './interceptors/call-rates.js';
export { cacheReads, type ReadCacheOptions } from './interceptors/read-cache.js';
export type { RedactResultsOptions } from './interceptors/redact-results.js';
export { redactResults } from './interceptors/redact-results.js';
export type { ResultLimitOptions } from './interceptors/result-limits/limit-results.js';
export { limitResults } from './interceptors/result-limits/limit-results.js';
export { spotlightResults } from './interceptors/spotlight-results.js';
