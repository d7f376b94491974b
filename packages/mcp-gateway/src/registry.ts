import type { CallToolOptions, Disposable, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import type { RoleSubject, ToolView, ViewOptions } from '@x/internal/views';

/** The part of a registry that a gateway uses. A `Registry` of `@x/mcp-registry` is assignable. */
export interface Registry extends RegistryView {
  /** The tools of one role, or all tools. Returns the same object for the same role. */
  view(options?: ViewOptions): RegistryView;
  /** The policy of `view(options)`. Called for every resource and prompt. */
  policy(options?: ViewOptions): RolePolicy;
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
  /** With `unknown-role`: the roles that exist. */
  readonly message?: string | undefined;
}

/** One diagnostic of a registry. */
export interface ViewDiagnostic {
  readonly code: string;
  readonly server?: string | undefined;
  readonly cause?: unknown;
}

/** The part of a view that is served. A `RegistryView` of `@x/mcp-registry` is assignable. */
export interface RegistryView {
  /** All tools in the order of their public names. */
  list(): readonly ToolView[];
  /** The tool of a public name, or `undefined`. */
  get(name: string): ToolView | undefined;
  /** Calls a tool. Throws an error with the brand of `RegistryError` and the code `unknown-tool` if there is none. */
  call(name: string, args?: ToolArguments, options?: CallToolOptions): Promise<ToolCallResult>;
  /** `tools-changed`: `list()` has changed. `access-changed`: the rules have changed. */
  readonly events: ViewEvents;
}

/** The events of a view. */
export interface ViewEvents {
  /** Calls `listener` after each event of that name, until the returned object is disposed. */
  on(name: 'tools-changed' | 'access-changed', listener: () => void): Disposable;
}

/** True for a registry, which shows all tools. */
export function isWhole(view: RegistryView): view is Registry {
  return 'attach' in view;
}
