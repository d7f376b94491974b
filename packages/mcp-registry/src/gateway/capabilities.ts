import type { ServerCapabilities } from '@modelcontextprotocol/server';
import type { ServingPolicy } from '../server/serving-policy.js';
import type { GatewayCore } from './gateway-core.js';
import type { GatewayUpstream, UpstreamCapabilities } from './upstream.js';

/** What any of the servers offers, or may offer when it is connected to: what was not declared can never be added. */
export function capabilitiesOf(upstreams: readonly GatewayUpstream[]): ServerCapabilities {
  const isOffered = (offers: (capabilities: UpstreamCapabilities) => unknown) =>
    upstreams.some(({ session }) => session === undefined || Boolean(offers(session.capabilities)));
  const listChanged = true; // told when a server is connected to anew, whatever it declares itself
  return {
    ...(isOffered(({ resources }) => resources) && {
      resources: { listChanged, ...(isOffered(({ resources }) => resources?.subscribe) && { subscribe: true }) },
    }),
    ...(isOffered(({ prompts }) => prompts) && { prompts: { listChanged } }),
    ...(isOffered(({ completions }) => completions) && { completions: {} }),
    ...(isOffered(({ logging }) => logging) && { logging: {} }),
  };
}

/** A single server whose names are as they are is also introduced as itself, but for what the app says of it. */
export function selfDescriptionOf({ policy, upstreams }: GatewayCore): ServingPolicy {
  const { serving, given } = policy;
  if (policy.names.mode === 'prefixed') return serving;
  const [only, ...others] = upstreams.servers();
  const session = others.length === 0 ? only?.session : undefined;
  return {
    ...serving,
    name: given.name ?? session?.serverInfo?.name ?? serving.name,
    version: given.version ?? session?.serverInfo?.version ?? serving.version,
    instructions: given.instructions ?? session?.instructions ?? '',
  };
}
