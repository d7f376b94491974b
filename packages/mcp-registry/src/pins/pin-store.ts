import type { PinnedDefinition } from './pinned-definition.js';

/** An approved tool. */
export interface ToolPin {
  /** The tool's own name. */
  readonly tool: string;
  readonly digest: string;
  readonly definition: PinnedDefinition;
  /** ISO 8601, UTC. */
  readonly approvedAt: string;
  /** `first-use`: part of the server's first listing. */
  readonly approvedBy: 'approval' | 'first-use';
}

/** The pins of one server. A listed server is known, even without tools. */
export interface ServerPins {
  readonly server: string;
  readonly tools: readonly ToolPin[];
}

/** All pins, as plain JSON. */
export type Pins = readonly ServerPins[];

/** Replaces the stored pin with the digest `replaces`. */
export interface RewrittenPin {
  readonly pin: ToolPin;
  readonly replaces: string;
}

/** A change of one server's pins. */
export type PinChange =
  /** Applies only if the server is unknown, so that the first of several processes decides. */
  | { readonly type: 'first-use'; readonly server: string; readonly tools: readonly ToolPin[] }
  | { readonly type: 'approve'; readonly server: string; readonly tools: readonly ToolPin[] }
  /** Replaces a pin only if its digest is unchanged, so that a revoked pin stays revoked. */
  | { readonly type: 'rewrite'; readonly server: string; readonly tools: readonly RewrittenPin[] }
  /** Default: all tools. The server stays known, so there is no second first use. */
  | { readonly type: 'revoke'; readonly server: string; readonly tools?: readonly string[] | undefined };

/**
 * Storage of approvals. Write access to it decides what models see. Invalid results, and no response within 30 seconds,
 * are failures; they make nothing trusted.
 */
export interface PinStore {
  /** All stored pins; empty at first. */
  load(): Pins | Promise<Pins>;
  /** Applies all changes or none to the current content, and returns the result of `applyPinChanges`. */
  save(changes: readonly PinChange[]): Pins | Promise<Pins>;
}
