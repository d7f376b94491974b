import type { ToolAnnotations } from '@x/internal/contracts';
import type { RulePlace } from '../catalog/diagnostics.js';

/** A restriction of one role. A tool must pass all rules of the role. */
export interface RoleRule {
  readonly role: string;
  /**
   * Patterns: `server` for all of its tools; `server.tool`, `server/tool` or the public name, with `*` for any text in
   * the tool's part; or a native tool's name. Empty: only inherited tools.
   */
  readonly allowedTools: readonly string[];
  /**
   * Exceptions for this role and all that inherit it. Patterns as in `allowedTools`, or a tool's own name, which denies
   * it on every server. `*` may stand for any part: `*.delete_*`, `delete_*`. Denies resources and prompts only
   * together with the whole server. Default: none.
   */
  readonly deniedTools?: readonly string[] | undefined;
  /**
   * Tools whose calls need a person's approval, for this role and all that inherit it: see `approval` of
   * `createRegistry`. Patterns as in `deniedTools`. `destructive` stands for every tool that declares neither
   * `readOnlyHint: true` nor `destructiveHint: false`. Default: none.
   */
  readonly askBefore?: readonly string[] | undefined;
  /** Restricts to tools with these declarations, which come from the server. Default: none. */
  readonly requiredAnnotations?: RequiredAnnotations | undefined;
  /**
   * `server`, or `server.` and a URI with `*` for any text. Not needed if the whole server is allowed. Default: none.
   */
  readonly allowedResources?: readonly string[] | undefined;
  /** `server`, or `server.prompt` with `*` for any text. Not needed if the whole server is allowed. Default: none. */
  readonly allowedPrompts?: readonly string[] | undefined;
  /** Roles whose tools are allowed too. Default: none. */
  readonly inherits?: readonly string[] | undefined;
  /** True for the role of principals without a role; at most one. Default `false`. */
  readonly isDefault?: boolean | undefined;
  /** Owner of the rule in messages: an entry of `tools.yaml`. Default: none. */
  readonly tool?: string | undefined;
  /** Place of the rule in messages. Default: its index. */
  readonly source?: RulePlace | undefined;
}

/** The rules of all roles, in any order. */
export type RoleRules = readonly RoleRule[];

/** The entry of `askBefore` that stands for destructive tools. */
export const DESTRUCTIVE = 'destructive';

export const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Annotations of the protocol. */
export type AnnotationHint = (typeof HINTS)[number];

/** Annotations that a tool must declare. */
export type RequiredAnnotations = { readonly [Hint in AnnotationHint]?: boolean | undefined };

export function unmetHint(
  required: RequiredAnnotations | undefined,
  annotations: ToolAnnotations | undefined,
): AnnotationHint | undefined {
  if (required === undefined) return undefined;
  const declared = hintsOf(annotations);
  return HINTS.find((hint) => required[hint] !== undefined && required[hint] !== declared[hint]);
}

export function isDestructive(annotations: ToolAnnotations | undefined): boolean {
  return hintsOf(annotations).destructiveHint;
}

/**
 * Annotations with the protocol's defaults: not read-only, destructive, open world. Read-only tools are not
 * destructive, unless they declare both.
 */
function hintsOf(annotations: ToolAnnotations | undefined): Readonly<Record<AnnotationHint, boolean>> {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations ?? {};
  const isReadOnly = readOnlyHint === true && destructiveHint !== true;
  return {
    readOnlyHint: isReadOnly,
    destructiveHint: !isReadOnly && destructiveHint !== false,
    idempotentHint: idempotentHint === true || (isReadOnly && idempotentHint !== false),
    openWorldHint: openWorldHint !== false,
  };
}
