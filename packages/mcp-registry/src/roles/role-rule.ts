import type { RulePlace } from '../catalog/diagnostics.js';
import type { RequiredAnnotations } from './required-annotations.js';

/** What one role may use. Several rules for one role are restrictions that add up: a tool must pass each of them. */
export interface RoleRule {
  readonly role: string;
  /**
   * Patterns: `server` for all of its tools; `server.tool`, `server/tool` or the public name, with `*` in the tool's part for
   * any text; or a native tool's name. Empty: nothing of its own.
   */
  readonly allowedTools: readonly string[];
  /**
   * Taken away from all that the rule allows and inherits, and from every role that inherits this one. Patterns as in
   * `allowedTools`, and a tool's own name, which takes it from every server. `*` may stand for any part: `*.delete_*`,
   * `delete_*`. Takes the server's resources and prompts only where it takes the whole server.
   */
  readonly deniedTools?: readonly string[] | undefined;
  /**
   * Only tools that say so of themselves. What a tool says comes from its server and is as trustworthy as the server;
   * that is why this can take tools away and never adds one.
   */
  readonly requiredAnnotations?: RequiredAnnotations | undefined;
  /** `server`, or `server.` and a URI in which `*` stands for any text. Whoever may use a whole server needs none. */
  readonly allowedResources?: readonly string[] | undefined;
  /** `server`, or `server.prompt` with `*` for any text. Whoever may use a whole server needs none. */
  readonly allowedPrompts?: readonly string[] | undefined;
  /** Roles whose tools this rule allows as well, beside its own `allowedTools`. */
  readonly inherits?: readonly string[] | undefined;
  /** Whether this is the role of a principal without a role. One role at most. */
  readonly isDefault?: boolean | undefined;
  /** What the rule belongs to, for people: an entry of `tools.yaml`. */
  readonly tool?: string | undefined;
  /** Where the rule is written, for people. */
  readonly source?: RulePlace | undefined;
}

/** The rules of all roles, in any order. */
export type RoleRules = readonly RoleRule[];
