import { isRecord } from '@x/internal/json';
import type { RolePolicy } from '../../registry.js';
import type { Audience } from '../audiences.js';
import type { GatewayCore } from '../gateway-core.js';
import type { GatewayUpstream } from '../upstream.js';
import { isKnownExtension } from './extension-ids.js';

/** True if the audience may use all present and future parts of a server. */
export function mayUseWhole(policy: RolePolicy, server: string): boolean {
  return policy({ kind: 'server', server }).isAllowed;
}

interface Declaring {
  readonly upstream: GatewayUpstream;
  /** By id. */
  readonly extensions: ReadonlyMap<string, unknown>;
}

/** Returns the extensions that the gateway does not know and exactly one server has. */
export function soleExtensions(core: GatewayCore, audience: Audience): Readonly<Record<string, unknown>> {
  const all = declaringServers(core, audience).flatMap(({ extensions }) => [...extensions]);
  return Object.fromEntries(all.filter(([id]) => all.filter(([other]) => other === id).length === 1));
}

/**
 * Returns the servers that may have a method or notification of an unknown extension: those with an extension of the
 * method's first word (`com.acme/coffee` has `coffee/brew`), or else those with any.
 */
export function extensionServers(core: GatewayCore, audience: Audience, method: string): readonly GatewayUpstream[] {
  const [word] = method.replace(/^notifications\//, '').split('/', 1);
  const declaring = declaringServers(core, audience);
  const named = declaring.filter(({ extensions }) => Array.from(extensions.keys()).some((id) => wordOf(id) === word));
  return (named.length > 0 ? named : declaring).map(({ upstream }) => upstream);
}

function declaringServers(core: GatewayCore, audience: Audience): readonly Declaring[] {
  return core.usedBy(audience).flatMap((upstream): readonly Declaring[] => {
    const declared = upstream.session?.capabilities.extensions;
    if (!isRecord(declared) || !mayUseWhole(audience.policy, upstream.name)) return [];
    const unknown = Object.entries(declared).filter(([id]) => !isKnownExtension(id));
    return unknown.length > 0 ? [{ upstream, extensions: new Map(unknown) }] : [];
  });
}

function wordOf(id: string): string | undefined {
  return id.split('/').at(-1);
}
