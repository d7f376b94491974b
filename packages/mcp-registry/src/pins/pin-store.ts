import type { PinnedDefinition } from './pinned-definition.js';

/** One tool as it was approved. */
export interface ToolPin {
  /** The tool's own name on its server. */
  readonly tool: string;
  /** Of `definition`. */
  readonly digest: string;
  readonly definition: PinnedDefinition;
  /** When, as an ISO 8601 text in UTC. */
  readonly approvedAt: string;
  /** Whether a person approved this text, or it was what the server's first listing said. */
  readonly approvedBy: 'approval' | 'first-use';
}

/** What is remembered of one server. A server that is in here is known, even without any tool. */
export interface ServerPins {
  readonly server: string;
  readonly tools: readonly ToolPin[];
}

/** All that is remembered, as plain JSON. */
export type Pins = readonly ServerPins[];

/** A pin, and the digest of the stored one that it replaces. */
export interface RewrittenPin {
  readonly pin: ToolPin;
  readonly replaces: string;
}

/** What changes in the approvals of one server. */
export type PinChange =
  /** Counts only if the server is not known yet: of two processes that meet it at once, the first decides. */
  | { readonly type: 'first-use'; readonly server: string; readonly tools: readonly ToolPin[] }
  | { readonly type: 'approve'; readonly server: string; readonly tools: readonly ToolPin[] }
  /** Replaces a pin only where the stored one still has this digest: a pin that was revoked meanwhile stays revoked. */
  | { readonly type: 'rewrite'; readonly server: string; readonly tools: readonly RewrittenPin[] }
  /** Without `tools`, all of the server's. The server stays known, so that nothing is first use again. */
  | { readonly type: 'revoke'; readonly server: string; readonly tools?: readonly string[] | undefined };

/**
 * Where approvals are kept. Whoever may write there decides what models see. What it answers is checked; anything but
 * pins counts as a failure, so does no answer within 30 seconds, and a failure makes nothing trusted.
 */
export interface PinStore {
  /** Everything that is kept; an empty list in the beginning. */
  load(): Pins | Promise<Pins>;
  /**
   * Carries out the changes, all of them or none, on what is kept *now*, which another process may have changed since,
   * and answers with the outcome. `applyPinChanges` works it out.
   */
  save(changes: readonly PinChange[]): Pins | Promise<Pins>;
}
