import { SEARCH_TOOL_NAME } from '@x/internal/names';
import type { ViewOptions } from '@x/internal/views';
import type { Registry } from '../registry.js';
import type { Caller } from '../server/requests/caller.js';

/**
 * Says as whom a caller is served, at once and for each request anew. `undefined` for somebody to whom nothing is served.
 * Asked beforehand, too, about callers that are known when the handler is made.
 */
export type AudienceOf<Who extends Caller = Caller> = (caller: Who) => ViewOptions | undefined;

/** @throws {TypeError} if the answer is to come later: no role is said by a promise, so everything would be served. */
export function audienceFor(caller: Caller, audienceOf: AudienceOf): ViewOptions | undefined {
  const audience = audienceOf(caller);
  if (!(audience instanceof Promise)) return audience;
  throw new TypeError(
    'audienceOf must answer at once and gave a promise; what takes time is for verifyToken to find out',
  );
}

/**
 * A role that is missing or misspelt is a mistake that is better told now than by lists that are empty.
 *
 * @param known - Callers that can be told of before any of them asks.
 * @throws {TypeError} naming a caller to whom nothing would be served, the role, and the roles that there are.
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
    return undefined; // what it needs may be there when requests come; what it throws then is told to onError
  }
  return audienceFor(caller, () => audience);
}

function refuseNobody({ id }: Caller, { servers: _, ...who }: ViewOptions, registry: Registry): void {
  // Whoever may use anything may use the search.
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
