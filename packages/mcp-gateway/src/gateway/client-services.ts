import type { HeldView } from '../server/held-view.js';
import { Answering } from './answering.js';
import type { Audience } from './audiences.js';
import { ClientBridge } from './bridging/client-bridge.js';
import { takesUrls } from './bridging/server-request.js';
import type { ClientWishes, GatewayScope } from './gateway-clients.js';
import type { GatewayCore } from './gateway-core.js';
import { ClientTasks } from './tasks/client-tasks.js';

/** The services of one connection, or of one request. */
export interface ClientParts {
  readonly core: GatewayCore;
  readonly audience: () => Audience;
  readonly answering: Answering;
  readonly bridge: ClientBridge;
  readonly tasks: ClientTasks;
}

export interface ClientPartsOptions {
  readonly core: GatewayCore;
  readonly held: HeldView;
  readonly scope: GatewayScope;
  /** Absent for a server of one request. */
  readonly wishes?: ClientWishes | undefined;
  /** Identity of a client without a lasting connection. */
  readonly connection: object;
  /** Capabilities from the handshake, before revision 2026-07-28. */
  readonly capabilities: () => Readonly<Record<string, unknown>> | undefined;
}

export function partsOf({ core, held, scope, wishes, connection, capabilities }: ClientPartsOptions): ClientParts {
  const audience = () => core.audiences.ofView(held.current);
  const onPage = (server: string, elicitationId: string) => wishes?.expectPage(server, elicitationId);
  const answering = new Answering({
    core,
    audience,
    handlerOf: (context, upstream) => bridge.handlerOf(context, upstream),
    onPage: (server, elicitationId) => {
      if (takesUrls(capabilities() ?? {})) onPage(server, elicitationId);
    },
  });
  const bridge = new ClientBridge({
    held: core.held,
    timeoutMs: core.policy.input.timeoutMs,
    connection: wishes ?? connection,
    lasts: wishes !== undefined,
    owner: scope.owner,
    isAnonymous: scope.isAnonymous ?? false,
    hasOneCaller: scope.hasOneCaller ?? false,
    isOnlyClient: () => core.clients.isOne,
    capabilities,
    audience,
    onPage,
  });
  return {
    core,
    audience,
    answering,
    bridge,
    tasks: new ClientTasks(core, scope.owner, audience),
  };
}
