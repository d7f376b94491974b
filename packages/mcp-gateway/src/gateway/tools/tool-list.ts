import { peekTools } from '@x/internal/views';
import type { RolePolicy, ViewDiagnostic } from '../../registry.js';
import type { Era } from '../../server/methods/client-request.js';
import { answerToolPage } from '../../server/methods/tool-shapes.js';
import type { Audience } from '../audiences.js';
import type { GatewayCore } from '../gateway-core.js';
import { incompleteMeta, type MissingList } from '../resources-and-prompts/merged-list.js';
import { reasonOf } from '../rpc-error.js';
import type { GatewayUpstream } from '../upstream.js';

export async function answerTools(
  core: GatewayCore,
  audience: Audience,
  request: { readonly cursor: string | undefined; readonly era: Era },
) {
  const page = answerToolPage(audience.view, { pageSize: core.policy.serving.pageSize, ...request });
  return { ...page, ...incompleteMeta(await missingTools(core, audience)) };
}

/**
 * Returns the servers whose tools are unknown, if the requester may know of them. Sends no requests: a registry keeps
 * each server's last list, and only a server that never listed, or failed, has none.
 */
export async function missingTools(core: GatewayCore, { policy }: Audience): Promise<readonly MissingList[]> {
  const known = new Set(peekTools(core.audiences.of({}).tools).map(({ server }) => server));
  const unknown = core.upstreams.servers().filter(({ name }) => !known.has(name) && mayUseAll(policy, name));
  const mayHaveFailed = unknown.some(({ session }) => session?.capabilities.tools !== undefined);
  const diagnostics = mayHaveFailed ? await core.policy.registry.diagnostics() : [];
  return unknown.flatMap((upstream) => {
    const reason = reasonFor(upstream, diagnostics);
    return reason === undefined ? [] : [{ server: upstream.name, reason }];
  });
}

/** Returns `undefined` for a server without tools. */
function reasonFor(
  { name, session, state }: GatewayUpstream,
  diagnostics: readonly ViewDiagnostic[],
): string | undefined {
  if (session === undefined) return 'not-running';
  if (session.capabilities.tools === undefined) return undefined;
  const failure = diagnostics.find(({ code, server }) => code === 'listing-failed' && server === name);
  if (failure !== undefined) return reasonOf(failure.cause);
  return state === 'degraded' ? 'failed' : undefined;
}

/** True if all changes of its tools are visible to the audience. */
function mayUseAll(policy: RolePolicy, server: string): boolean {
  return policy({ server, tool: '' }).isAllowed;
}
