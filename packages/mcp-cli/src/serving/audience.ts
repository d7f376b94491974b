import type { Caller } from '@x/mcp-gateway';
import type { RoleRules } from '@x/mcp-registry';

export interface KnownCaller extends Caller {
  readonly role?: string | undefined;
}

/** Options of a registry's view. */
export interface Audience {
  readonly role?: string;
  readonly principal?: string;
}

/**
 * Views of callers with an identity. A caller without a role has `fallback`, else the default role of the config. One
 * without any role, or with an unknown one, has no view: a misspelt role must not open everything.
 */
export function audienceByIdentity(
  rules: RoleRules,
  fallback: string | undefined,
): (caller: KnownCaller) => Audience | undefined {
  const known = new Set(rules.map(({ role }) => role));
  const rest = fallback ?? rules.find(({ isDefault }) => isDefault === true)?.role;
  return ({ id, role = rest }) => (role === undefined || !known.has(role) ? undefined : { role, principal: id });
}

/** The owner of the single token, and callers without authentication, have the same view as over stdio. */
export function audienceOfOwner(role: string | undefined): () => Audience {
  return () => (role === undefined ? {} : { role });
}
