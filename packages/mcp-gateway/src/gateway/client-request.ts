import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/server';
import type { CallHandler } from '@x/internal/contracts';
import type { RolePolicy } from '../registry.js';
import type { ClientRequest } from '../server/methods/client-request.js';
import { mayHear } from './audiences.js';
import type { GatewayCore } from './gateway-core.js';
import { isAbout, isLogLevel, isWanted } from './log-levels.js';
import type { GatewayUpstream } from './upstream.js';

export function isModern({ era }: ClientRequest): boolean {
  return era === 'modern';
}

export type HandlerOf = (context: ClientRequest, upstream: GatewayUpstream) => CallHandler;

/** Forwards log entries during a request, which sets its own level since revision 2026-07-28. */
export function forwardLog(
  core: GatewayCore,
  {
    upstream,
    policy,
    handlerOf,
  }: { readonly upstream: GatewayUpstream; readonly policy: RolePolicy; readonly handlerOf: HandlerOf },
  context: ClientRequest,
): Disposable | undefined {
  const level = isModern(context) ? context.envelope[LOG_LEVEL_META_KEY] : undefined;
  if (!isLogLevel(level) || !mayHear(policy, upstream.name)) return undefined;
  const who = {};
  const handler = handlerOf(context, upstream);
  const listening = core.upstreams.events.on('server-log', (entry) => {
    const { server, level: told, about } = entry;
    if (server !== upstream.name || !isWanted(told, level) || !isAbout(about, handler.owner)) return;
    const params = core.logMessages.of(entry);
    context.notify({ method: 'notifications/message', params }).catch(() => undefined); // fails only if the client is gone
  });
  void core.levels.want(upstream, { who, level, handler });
  return {
    [Symbol.dispose]: () => {
      listening[Symbol.dispose]();
      core.levels.forget(who);
    },
  };
}
