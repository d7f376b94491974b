import type { RulePlace } from '../catalog/diagnostics.js';
import type { RequiredAnnotations } from './required-annotations.js';

/** A restriction of one role. Several rules for one role combine: a tool must pass each of them. */
export interface RoleRule {
  readonly role: string;
  /**
   * Patterns: `server` for all of its tools; `server.tool`, `server/tool` or the public name, with `*` in the tool's
   * part for any text; or a native tool's name. Empty: only inherited tools.
   */
  readonly allowedTools: readonly string[];
  /**
   * Exceptions from everything that the rule allows and inherits, and for every role that inherits this one. Patterns
   * as in `allowedTools`, and a tool's own name, which denies it on every server. `*` may stand for any part:
   * `*.delete_*`, `delete_*`. Denies the server's resources and prompts only if it denies the whole server.
   */
  readonly deniedTools?: readonly string[] | undefined;
  /**
   * Only tools that declare these. Declarations come from the server and are as trustworthy as it, so this can remove
   * tools and never adds one.
   */
  readonly requiredAnnotations?: RequiredAnnotations | undefined;
  /**
   * `server`, or `server.` and a URI in which `*` stands for any text. Not needed for a role that may use the whole
   * server.
   */
  readonly allowedResources?: readonly string[] | undefined;
  /** `server`, or `server.prompt` with `*` for any text. Not needed for a role that may use the whole server. */
  readonly allowedPrompts?: readonly string[] | undefined;
  /** Roles whose tools this rule also allows, beside its own `allowedTools`. */
  readonly inherits?: readonly string[] | undefined;
  /** True for the role of principals without a role. One role at most. */
  readonly isDefault?: boolean | undefined;
  /** Owner of the rule, for people: an entry of `tools.yaml`. */
  readonly tool?: string | undefined;
  /** Place of the rule, for people. */
  readonly source?: RulePlace | undefined;
}

/** The rules of all roles, in any order. */
export type RoleRules = readonly RoleRule[];
