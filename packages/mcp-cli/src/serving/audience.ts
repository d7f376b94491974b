import type { Caller } from '@x/mcp-gateway';
import type { RoleRules } from '@x/mcp-registry';

/** Somebody whom a token has told apart. */
export interface KnownCaller extends Caller {
  readonly role?: string | undefined;
}

/** As whom somebody is served: options of a registry's view. */
export interface Audience {
  readonly role?: string;
  readonly principal?: string;
}

/**
 * Chooses as whom callers with an identity are served. Without a role of their own they have `fallback`, or else the
 * role that the config calls the default. Nothing is served to those who have none of these, or one that there is not:
 * a role that was left out or misspelt must not open everything.
 */
export function audienceByIdentity(
  rules: RoleRules,
  fallback: string | undefined,
): (caller: KnownCaller) => Audience | undefined {
  const known = new Set(rules.map(({ role }) => role));
  const rest = fallback ?? rules.find(({ isDefault }) => isDefault === true)?.role;
  return ({ id, role = rest }) => (role === undefined || !known.has(role) ? undefined : { role, principal: id });
}

/** Whoever has the one token, or asks where none is asked for, is served what `mcpx serve` serves over stdio. */
export function audienceOfOwner(role: string | undefined): () => Audience {
  return () => (role === undefined ? {} : { role });
}
