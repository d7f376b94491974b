import { SEARCH_TOOL_NAME, type ToolIdentity } from '../catalog/public-name.js';
import { matchesTool } from './tool-pattern.js';

/** What one role may use. Several rules for one role are restrictions that add up. */
export interface RoleRule {
  readonly role: string;
  /** Patterns: `server.tool`, `server.read_*`, `server.*`, `server`, or a native tool's name. Empty: nothing. */
  readonly allowedTools: readonly string[];
}

export type RoleRules = readonly RoleRule[];

export type RoleDecision =
  | { readonly isAllowed: true }
  /** `rule` is the first rule that the tool does not pass; without one the role is unknown. */
  | { readonly isAllowed: false; readonly rule?: RoleRule };

/** Decides about one tool. The same for list, search, get, call and events, so that none of them shows more. */
export type RolePolicy = (identity: ToolIdentity) => RoleDecision;

/** Compiles all rules of one role. A role that no rule names may use nothing. */
export function compileRole(rules: RoleRules, role: string): RolePolicy {
  const own = rules.filter((rule) => rule.role === role);
  if (own.length === 0) return () => ({ isAllowed: false });

  return (identity) => {
    const rule = own.find(({ allowedTools }) => !allows(allowedTools, identity));
    return rule === undefined ? { isAllowed: true } : { isAllowed: false, rule };
  };
}

function allows(allowedTools: readonly string[], identity: ToolIdentity): boolean {
  // It shows a role only what the role may use, so whoever may use something may search.
  if (isToolSearch(identity)) return allowedTools.length > 0;
  return allowedTools.some((pattern) => matchesTool(pattern, identity));
}

function isToolSearch({ server, tool }: ToolIdentity): boolean {
  return server === undefined && tool === SEARCH_TOOL_NAME;
}

/** @throws {TypeError} naming the rule that is not one, so that a mistake cannot open what it should close. */
export function checkRoleRules(rules: RoleRules): RoleRules {
  if (!Array.isArray(rules)) throw new TypeError('roles must be a list of rules { role, allowedTools }');
  return rules.map((rule: RoleRule, index) => {
    const { role, allowedTools } = rule ?? {};
    if (typeof role !== 'string') throw new TypeError(`roles[${index}].role must be a text`);
    if (!Array.isArray(allowedTools) || !allowedTools.every((pattern) => typeof pattern === 'string')) {
      throw new TypeError(`roles[${index}].allowedTools must be a list of texts`);
    }
    return Object.freeze({ ...rule, allowedTools: Object.freeze([...allowedTools]) });
  });
}
