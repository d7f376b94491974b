import type { Caller } from '@x/mcp-gateway';
import type { RoleRules } from '@x/mcp-registry';

/** A caller that its token identifies. */
export interface KnownCaller extends Caller {
  readonly role?: string | undefined;
}

/** Options of a registry's view for one caller. */
export interface Audience {
  readonly role?: string;
  readonly principal?: string;
}

/**
 * Chooses the view of callers with an identity. A caller without a role gets `fallback`, else the default role of the
 * config. A caller without any role, or with an unknown one, gets nothing: a missing or misspelt role must not open
 * everything.
 */
export function audienceByIdentity(
  rules: RoleRules,
  fallback: string | undefined,
): (caller: KnownCaller) => Audience | undefined {
  const known = new Set(rules.map(({ role }) => role));
  const rest = fallback ?? rules.find(({ isDefault }) => isDefault === true)?.role;
  return ({ id, role = rest }) => (role === undefined || !known.has(role) ? undefined : { role, principal: id });
}

/** The owner of the single token, and every caller without authentication, gets the same view as over stdio. */
export function audienceOfOwner(role: string | undefined): () => Audience {
  return () => (role === undefined ? {} : { role });
}
