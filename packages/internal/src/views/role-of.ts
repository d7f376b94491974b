/** Key of a view's role. A global symbol, because two bundles read it of one view. */
export const ROLE: unique symbol = Symbol.for('@x/mcp-registry.role');

export interface OfRole {
  readonly [ROLE]: string | undefined;
}

/** The current role of a view: the requested one, or the default role. `undefined`: none. */
export function roleOf(view: object): string | undefined {
  return ROLE in view ? (view as OfRole)[ROLE] : undefined;
}
