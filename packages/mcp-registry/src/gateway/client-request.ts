import { LOG_LEVEL_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import type { RolePolicy } from '../roles/compile-role.js';
import { mayHear } from './audiences.js';
import type { GatewayCore } from './gateway-core.js';
import { isLogLevel, isWanted } from './log-levels.js';
import type { GatewayUpstream } from './upstream.js';

/** Whether a request is one of the 2026-07-28 revision. */
export function isModern({ mcpReq }: ServerContext): boolean {
  return mcpReq.envelope !== undefined;
}

/** Clients of the 2026-07-28 revision say with each request what they want to be told of the server's log meanwhile. */
export function forwardLog(
  core: GatewayCore,
  { upstream, policy }: { readonly upstream: GatewayUpstream; readonly policy: RolePolicy },
  { mcpReq }: ServerContext,
): Disposable | undefined {
  const level = (mcpReq.envelope as Readonly<Record<string, unknown>> | undefined)?.[LOG_LEVEL_META_KEY];
  if (!isLogLevel(level) || !mayHear(policy, upstream.name)) return undefined;
  const who = {};
  const listening = core.upstreams.events.on('server-log', ({ server, level: told, logger, data }) => {
    if (server !== upstream.name || !isWanted(told, level)) return;
    const params = { level: told, logger: core.policy.names.logger(server, logger), data };
    mcpReq.notify({ method: 'notifications/message', params }).catch(() => undefined); // as above
  });
  void core.levels.want(upstream, who, level);
  return {
    [Symbol.dispose]: () => {
      listening[Symbol.dispose]();
      core.levels.forget(who);
    },
  };
}
