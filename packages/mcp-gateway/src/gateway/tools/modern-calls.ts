import { ProtocolError, ProtocolErrorCode, SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import type { HeldView } from '../../server/held-view.js';
import { selfDescriptionOf } from '../capabilities.js';
import { partsOf } from '../client-parts.js';
import type { ClientRequest } from '../client-request.js';
import type { GatewayCore } from '../gateway-core.js';
import type { GatewayScope } from '../gateway-scope.js';
import { contextOf, GatewayCalls } from './gateway-calls.js';

/** Plain calls of the 2026-07-28 revision, for which no server is made. */
export function modernCalls(core: GatewayCore, held: HeldView, scope: GatewayScope): GatewayCalls {
  const { name, version } = selfDescriptionOf(core, core.audiences.ofView(held.current));
  const parts = partsOf({ core, held, scope, connection: {}, capabilities: () => undefined });
  return new GatewayCalls({
    parts,
    contextOf: (call, signal) => contextOf(call, signal, NO_WAY_BACK),
    stamp: (result, id) => {
      const sent = parts.results.take(id) ?? result;
      const own = { [SERVER_INFO_META_KEY]: { name, version } };
      return { resultType: 'complete', ...sent, _meta: { ...own, ...(isRecord(sent._meta) && sent._meta) } };
    },
  });
}

/** Whoever asks for progress or for a log is not answered in this way, and is asked nothing. */
const NO_WAY_BACK: Pick<ClientRequest['mcpReq'], 'send' | 'notify'> = {
  send: async () => {
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'The client cannot be asked');
  },
  notify: async () => undefined,
};
