/** Key of a view's role. The global symbol registry holds it, because two bundles read it of one view. */
export const ROLE: unique symbol = Symbol.for('@x/mcp-registry.role');

/** A view that tells its role. */
export interface OfRole {
  readonly [ROLE]: string | undefined;
}

/** The role that a view is of right now: the one that was asked for, or the default role. `undefined`: none. */
export function roleOf(view: object): string | undefined {
  return ROLE in view ? (view as OfRole)[ROLE] : undefined;
}
