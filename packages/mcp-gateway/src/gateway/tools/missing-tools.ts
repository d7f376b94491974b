import { peekTools } from '@x/internal/views';
import type { RolePolicy } from '../../registry.js';
import type { Audience } from '../audiences.js';
import type { GatewayCore, MissingList } from '../gateway-core.js';
import { reasonOf } from '../rpc-error.js';
import type { GatewayUpstream } from '../upstream.js';

/**
 * Servers whose tools nobody knows right now, as far as whoever asks may know of them. No server is asked: a registry has
 * what each of them listed last, and only one that never did, or whose failure has taken its tools away, has none.
 */
export function missingTools(core: GatewayCore, { policy }: Audience): readonly MissingList[] {
  const known = new Set(peekTools(core.audiences.of({}).tools).map(({ server }) => server));
  const unknown = core.upstreams.servers().filter(({ name }) => !known.has(name) && mayUseAll(policy, name));
  return unknown.flatMap((upstream) => {
    const reason = reasonFor(core, upstream);
    return reason === undefined ? [] : [{ server: upstream.name, reason }];
  });
}

/** `undefined` for a server that simply has no tools. */
function reasonFor({ policy }: GatewayCore, { name, session, state }: GatewayUpstream): string | undefined {
  if (session === undefined) return 'not-running';
  if (session.capabilities.tools === undefined) return undefined;
  const failure = policy.registry
    .diagnostics()
    .find((diagnostic) => diagnostic.code === 'listing-failed' && diagnostic.server === name);
  if (failure !== undefined) return reasonOf('cause' in failure ? failure.cause : undefined);
  return state === 'degraded' ? 'failed' : undefined;
}

/** Then no tool that comes or goes is kept back from them. */
function mayUseAll(policy: RolePolicy, server: string): boolean {
  return policy({ server, tool: '' }).isAllowed;
}
