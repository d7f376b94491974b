import { LOG_LEVEL_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import type { CallHost } from '@x/internal/contracts';
import type { RolePolicy } from '../registry.js';
import { mayHear } from './audiences.js';
import type { GatewayCore } from './gateway-core.js';
import { isAbout, isLogLevel, isWanted } from './log-levels.js';
import type { GatewayUpstream } from './upstream.js';

/** A client's request, and its ways back to that client. The protocol library's context of a request is one. */
export interface ClientRequest {
  readonly mcpReq: Pick<
    ServerContext['mcpReq'],
    'id' | 'method' | '_meta' | 'envelope' | 'inputResponses' | 'requestState' | 'signal' | 'send' | 'notify'
  >;
}

/** Whether a request is one of the 2026-07-28 revision. */
export function isModern({ mcpReq }: ClientRequest): boolean {
  return mcpReq.envelope !== undefined;
}

/** Who answers for the client what a server asks in the midst of a request. */
export type HostOf = (context: ClientRequest, upstream: GatewayUpstream) => CallHost;

/** Clients of the 2026-07-28 revision say with each request what they want to be told of the server's log meanwhile. */
export function forwardLog(
  core: GatewayCore,
  {
    upstream,
    policy,
    hostOf,
  }: { readonly upstream: GatewayUpstream; readonly policy: RolePolicy; readonly hostOf: HostOf },
  context: ClientRequest,
): Disposable | undefined {
  const { mcpReq } = context;
  const level = (mcpReq.envelope as Readonly<Record<string, unknown>> | undefined)?.[LOG_LEVEL_META_KEY];
  if (!isLogLevel(level) || !mayHear(policy, upstream.name)) return undefined;
  const who = {};
  const host = hostOf(context, upstream);
  const listening = core.upstreams.events.on('server-log', (entry) => {
    const { server, level: told, about } = entry;
    if (server !== upstream.name || !isWanted(told, level) || !isAbout(about, host.owner)) return;
    const params = core.logMessages.of(entry);
    mcpReq.notify({ method: 'notifications/message', params }).catch(() => undefined); // gone with the one who asked
  });
  void core.levels.want(upstream, { who, level, host });
  return {
    [Symbol.dispose]: () => {
      listening[Symbol.dispose]();
      core.levels.forget(who);
    },
  };
}
