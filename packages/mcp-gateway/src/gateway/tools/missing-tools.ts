import { peekTools } from '@x/internal/views';
import type { RolePolicy } from '../../registry.js';
import type { Audience } from '../audiences.js';
import type { GatewayCore, MissingList } from '../gateway-core.js';
import { reasonOf } from '../rpc-error.js';
import type { GatewayUpstream } from '../upstream.js';

/**
 * Servers whose tools are unknown now, as far as the requester may know of them. Sends no requests: a registry keeps
 * each server's last list, and only a server that never listed, or that lost its tools in a failure, has none.
 */
export function missingTools(core: GatewayCore, { policy }: Audience): readonly MissingList[] {
  const known = new Set(peekTools(core.audiences.of({}).tools).map(({ server }) => server));
  const unknown = core.upstreams.servers().filter(({ name }) => !known.has(name) && mayUseAll(policy, name));
  return unknown.flatMap((upstream) => {
    const reason = reasonFor(core, upstream);
    return reason === undefined ? [] : [{ server: upstream.name, reason }];
  });
}

/** `undefined` for a server that has no tools. */
function reasonFor({ policy }: GatewayCore, { name, session, state }: GatewayUpstream): string | undefined {
  if (session === undefined) return 'not-running';
  if (session.capabilities.tools === undefined) return undefined;
  const failure = policy.registry
    .diagnostics()
    .find((diagnostic) => diagnostic.code === 'listing-failed' && diagnostic.server === name);
  if (failure !== undefined) return reasonOf('cause' in failure ? failure.cause : undefined);
  return state === 'degraded' ? 'failed' : undefined;
}

/** Then every change of its tools is visible to the audience. */
function mayUseAll(policy: RolePolicy, server: string): boolean {
  return policy({ server, tool: '' }).isAllowed;
}
