import type { McpServer } from '@modelcontextprotocol/server';
import type { PlainCall } from './requests/plain-call.js';

/** What came of a call: a result that can go out as it is, or one that the protocol library has to see to first. */
export type DirectOutcome =
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
  /** To be given to the server that the message goes to next; that is not to make the call again. */
  | { readonly kind: 'prepared'; readonly settle: () => Promise<unknown> };

/**
 * Answers plain calls of tools without the protocol library in between, as it would: that costs more than most calls do.
 */
export interface DirectCalls {
  /** Rejects only with the signal's reason. */
  call(call: PlainCall, signal: AbortSignal): Promise<DirectOutcome>;
}

/** A server of a session that does that, too. */
export interface DirectServer extends McpServer {
  readonly direct?: DirectCalls | undefined;
  /** What is to be answered to the request of that id, which is about to come. */
  prepare?(id: string | number, settle: () => Promise<unknown>): void;
}
