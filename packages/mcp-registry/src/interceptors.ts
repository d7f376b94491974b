// Everything that can be imported from "@x/mcp-registry/interceptors". A new line here is new public API.
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
