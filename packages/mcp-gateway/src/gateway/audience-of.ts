import { SEARCH_TOOL_NAME } from '@x/internal/names';
import type { ViewOptions } from '@x/internal/views';
import type { Registry } from '../registry.js';
import type { Caller } from '../server/requests/caller.js';

/**
 * Chooses what a caller may use, synchronously and for each request. `undefined` for a caller that may use nothing.
 * Also called once for each caller that is known when the handler is created.
 */
export type AudienceOf<Who extends Caller = Caller> = (caller: Who) => ViewOptions | undefined;

/** @throws {TypeError} if it returns a promise, which has no role and would therefore mean everything. */
export function audienceFor(caller: Caller, audienceOf: AudienceOf): ViewOptions | undefined {
  const audience = audienceOf(caller);
  if (!(audience instanceof Promise)) return audience;
  throw new TypeError(
    'audienceOf must answer at once and gave a promise; what takes time is for verifyToken to find out',
  );
}

/**
 * Checks known callers: a missing or misspelt role should fail at start rather than by empty lists.
 *
 * @param known - Callers that are known before any request.
 * @throws {TypeError} naming a caller that may use nothing, its role, and the existing roles.
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
    return undefined; // its inputs may exist once requests arrive; onError receives later errors
  }
  return audienceFor(caller, () => audience);
}

function refuseNobody({ id }: Caller, { servers: _, ...who }: ViewOptions, registry: Registry): void {
  // Every role that may use a tool may use the search.
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
