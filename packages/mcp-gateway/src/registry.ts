import type { RoleSubject, ViewOptions } from '@x/internal/views';
import type { RegistryView } from './views/view.js';

/** What a gateway uses of a registry. A `Registry` of `@x/mcp-registry` is one as it stands. */
export interface Registry extends RegistryView {
  /** The tools as one role sees them, or all of them. The same object for the same role. */
  view(options?: ViewOptions): RegistryView;
  /** What decides in `view(options)`. Asked for every resource and prompt, each time. */
  policy(options?: ViewOptions): RolePolicy;
  /** Why a role may use a tool or may not. */
  explain(role: string, tool: string): { readonly message: string };
  /** What operators should know. A gateway reads which server's tools could not be listed: `listing-failed`, with its `cause`. */
  diagnostics(): readonly ViewDiagnostic[];
  readonly pins: {
    /** Whether the server's description of itself waits for an approval. */
    holdsInstructions(server: string): boolean;
  };
}

/** Decides about one tool, resource or prompt. */
export type RolePolicy = (subject: RoleSubject) => RoleDecision;

/** Whether a role may use something. */
export interface RoleDecision {
  readonly isAllowed: boolean;
  /** Why not: `unknown-role` where no rule names the role. */
  readonly reason?: string | undefined;
}

/** One diagnostic of a registry. */
export interface ViewDiagnostic {
  readonly code: string;
  readonly server?: string | undefined;
  readonly cause?: unknown;
}
