import { SEARCH_TOOL_NAME } from '@x/internal/names';
import type { ViewOptions } from '@x/internal/views';
import type { Registry } from '../registry.js';
import type { Caller } from '../server/requests/caller.js';

/**
 * Returns what a caller may use: synchronously, for each request. `undefined`: nothing. Also called for known callers
 * when the handler is created.
 */
export type AudienceOf<Who extends Caller = Caller> = (caller: Who) => ViewOptions | undefined;

/** @throws {TypeError} for a promise, which has no role and would allow everything. */
export function audienceFor(caller: Caller, audienceOf: AudienceOf): ViewOptions | undefined {
  const audience = audienceOf(caller);
  if (!(audience instanceof Promise)) return audience;
  throw new TypeError(
    'audienceOf must answer at once and gave a promise; what takes time is for verifyToken to find out',
  );
}

/**
 * Checks known callers, so that a misspelt role fails at start rather than by empty lists.
 *
 * @throws {TypeError} naming a caller whose role does not exist, and the existing roles.
 */
export function refuseUnserved(known: readonly Caller[], audienceOf: AudienceOf, registry: Registry): void {
  for (const caller of known) {
    const audience = audienceBeforehand(caller, audienceOf);
    if (audience !== undefined) refuseNobody(caller, audience, registry);
  }
}

function audienceBeforehand(caller: Caller, audienceOf: AudienceOf): ViewOptions | undefined {
  let audience: ViewOptions | undefined;
  try {
    audience = audienceOf(caller);
  } catch {
    return undefined; // its inputs may exist only once requests arrive
  }
  return audienceFor(caller, () => audience);
}

function refuseNobody({ id }: Caller, { servers: _, ...who }: ViewOptions, registry: Registry): void {
  // Every role with a tool may use the search.
  const decision = registry.policy(who)({ server: undefined, tool: SEARCH_TOOL_NAME });
  if (decision.isAllowed || decision.reason !== 'unknown-role') return;
  const given = `audienceOf gives ${JSON.stringify(id)}`;
  if (who.role === undefined) {
    throw new TypeError(
      `${given} no role, and no rule of the registry says isDefault, so that nothing would be served; give a role, or have a default one`,
    );
  }
  throw new TypeError(`${given} a role that there is not. ${registry.explain(who.role, SEARCH_TOOL_NAME).message}`);
}
