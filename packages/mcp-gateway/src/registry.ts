import type { RoleSubject, ViewOptions } from '@x/internal/views';
import type { RegistryView } from './views/view.js';

/** The part of a registry that a gateway uses. A `Registry` of `@x/mcp-registry` is assignable. */
export interface Registry extends RegistryView {
  /** The tools of one role, or all tools. Returns the same object for the same role. */
  view(options?: ViewOptions): RegistryView;
  /** The policy of `view(options)`. Called for every resource and prompt. */
  policy(options?: ViewOptions): RolePolicy;
  /** Explains a decision about a tool. */
  explain(role: string, tool: string): { readonly message: string };
  /** Diagnostics for operators. A gateway reads `listing-failed`, with its `cause`. */
  diagnostics(): Promise<readonly ViewDiagnostic[]>;
  readonly pins: {
    /** True if the server's instructions await approval. */
    holdsInstructions(server: string): boolean;
  };
}

/** Decides about one tool, resource or prompt. */
export type RolePolicy = (subject: RoleSubject) => RoleDecision;

/** A decision of a policy. */
export interface RoleDecision {
  readonly isAllowed: boolean;
  /** Reason of a refusal. `unknown-role`: the role has no rules. */
  readonly reason?: string | undefined;
}

/** One diagnostic of a registry. */
export interface ViewDiagnostic {
  readonly code: string;
  readonly server?: string | undefined;
  readonly cause?: unknown;
}
