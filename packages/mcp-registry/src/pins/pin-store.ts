import type { PinnedDefinition } from './pinned-definition.js';

/** An approved tool. */
export interface ToolPin {
  /** The tool's own name on its server. */
  readonly tool: string;
  /** Of `definition`. */
  readonly digest: string;
  readonly definition: PinnedDefinition;
  /** Time of the approval, ISO 8601 in UTC. */
  readonly approvedAt: string;
  /** `true` if a person approved this text, `false` if it was in the server's first listing. */
  readonly approvedBy: 'approval' | 'first-use';
}

/** The pins of one server. A server in the list is known, even without any tool. */
export interface ServerPins {
  readonly server: string;
  readonly tools: readonly ToolPin[];
}

/** All pins, as plain JSON. */
export type Pins = readonly ServerPins[];

/** A pin, and the digest of the stored one that it replaces. */
export interface RewrittenPin {
  readonly pin: ToolPin;
  readonly replaces: string;
}

/** A change in the approvals of one server. */
export type PinChange =
  /** Applies only if the server is unknown: of two processes that meet it at once, the first decides. */
  | { readonly type: 'first-use'; readonly server: string; readonly tools: readonly ToolPin[] }
  | { readonly type: 'approve'; readonly server: string; readonly tools: readonly ToolPin[] }
  /** Replaces a pin only if the stored one still has this digest: a pin that was revoked meanwhile stays revoked. */
  | { readonly type: 'rewrite'; readonly server: string; readonly tools: readonly RewrittenPin[] }
  /** Without `tools`, all of the server's. The server stays known, so that nothing is first use again. */
  | { readonly type: 'revoke'; readonly server: string; readonly tools?: readonly string[] | undefined };

/**
 * Storage of approvals. Write access to it decides what models see. Its results are checked; anything but pins is a
 * failure, as is no response within 30 seconds, and a failure makes nothing trusted.
 */
export interface PinStore {
  /** All stored pins; an empty list at first. */
  load(): Pins | Promise<Pins>;
  /**
   * Applies the changes, all of them or none, to the *current* content, which another process may have changed since,
   * and returns the result. `applyPinChanges` computes it.
   */
  save(changes: readonly PinChange[]): Pins | Promise<Pins>;
}
