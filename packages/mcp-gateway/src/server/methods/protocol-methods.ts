import { isSpecType, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import type { Fields } from './client-request.js';
import type { ClientServer } from './client-server.js';
import { MODERN_REVISION } from './envelope.js';
import { listen } from './listen.js';
import type { MethodTable } from './method-table.js';

export const protocolMethods: MethodTable<ClientServer> = {
  initialize: {
    era: 'legacy',
    fault: (params) => (isSpecType.InitializeRequestParams(params) ? undefined : 'they do not fit the protocol'),
    answer: (server, params) => initialize(server, params as { readonly protocolVersion: string }),
  },
  ping: { era: 'legacy', answer: () => ({}) },
  'server/discover': {
    era: 'modern',
    isCacheable: true,
    answer: (server) => ({ supportedVersions: [MODERN_REVISION], ...described(server) }),
  },
  'subscriptions/listen': {
    era: 'modern',
    fault: ({ notifications }) =>
      isSpecType.SubscriptionFilter(notifications) ? undefined : "'notifications' is no filter of subscriptions",
    answer: listen,
  },
};

function initialize(server: ClientServer, params: Fields & { readonly protocolVersion: string }): Fields {
  const { protocolVersion: requested, capabilities } = params;
  const [latest = requested] = SUPPORTED_PROTOCOL_VERSIONS;
  const revision = SUPPORTED_PROTOCOL_VERSIONS.includes(requested) ? requested : latest;
  server.clientCapabilities = capabilities as Fields;
  server.revision = revision;
  const { name, version } = server.introduction;
  return { protocolVersion: revision, serverInfo: { name, version }, ...described(server) };
}

function described({ capabilities, introduction: { instructions } }: ClientServer): Fields {
  return { capabilities, ...(instructions !== '' && { instructions }) };
}
