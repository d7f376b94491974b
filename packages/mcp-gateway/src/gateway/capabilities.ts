import type { ServerCapabilities } from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import { interceptorsOf } from '@x/internal/views';
import { introducing, type ServingPolicy } from '../serving/serving-policy.js';
import type { Audience } from './audiences.js';
import { ownExtensions } from './extensions/extension-ids.js';
import { mayUseWhole, soleExtensions } from './extensions/extension-servers.js';
import type { GatewayCore } from './gateway-core.js';
import { TASKS_EXTENSION } from './tasks/task-messages.js';
import type { GatewayUpstream, UpstreamCapabilities } from './upstream.js';

interface CapabilityScope {
  readonly era: 'legacy' | 'modern';
  readonly audience: Audience;
}

/**
 * Returns the capabilities of the only server with `as-is` names, otherwise all that a gateway can have. A capability
 * cannot be added after the handshake, and one that depended on a server would reveal it.
 */
export function capabilitiesOf(core: GatewayCore, { era, audience }: CapabilityScope) {
  const servers = core.usedBy(audience);
  const own = wholeServerOf(servers, core, audience)?.session?.capabilities;
  const further: Readonly<Record<string, unknown>> = own ?? {};
  const isOffered = (offers: (capabilities: UpstreamCapabilities) => unknown) =>
    own === undefined || Boolean(offers(own));
  const listChanged = true; // sent after each reconnect of a server
  const extensions = present({
    ...(own === undefined ? { ...ownExtensions, ...soleExtensions(core, audience) } : fieldsOf(own.extensions)),
    [TASKS_EXTENSION]: era === 'modern' ? tasksExtension(servers) : undefined,
  });
  const tasks = era === 'legacy' ? legacyTasks(servers) : undefined;
  const declared = {
    ...further,
    ...((isOffered(({ resources }) => resources) ||
      interceptorsOf(audience.tools)?.parts.interceptors.some(({ read }) => read)) && {
      resources: {
        ...fieldsOf(further.resources),
        listChanged,
        ...(isOffered(({ resources }) => resources?.subscribe) && { subscribe: true }),
      },
    }),
    ...(isOffered(({ prompts }) => prompts) && { prompts: { ...fieldsOf(further.prompts), listChanged } }),
    ...(isOffered(({ completions }) => completions) && { completions: fieldsOf(further.completions) }),
    ...(isOffered(({ logging }) => logging) && { logging: fieldsOf(further.logging) }),
    // Omitted for revisions that lack it.
    tasks,
    extensions: Object.keys(extensions).length > 0 ? extensions : undefined,
    tools: { ...fieldsOf(further.tools), listChanged },
  };
  return present(declared) as ServerCapabilities;
}

function present(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** True if the audience gets the only server as it is, with all its extensions. */
export function isWholeServer(core: GatewayCore, audience: Audience): boolean {
  return wholeServerOf(core.usedBy(audience), core, audience)?.session !== undefined;
}

function wholeServerOf(
  servers: readonly GatewayUpstream[],
  { policy: { names } }: GatewayCore,
  { policy }: Audience,
): GatewayUpstream | undefined {
  const [only, ...others] = servers;
  const isOne = names.mode === 'as-is' && only !== undefined && others.length === 0;
  return isOne && mayUseWhole(policy, only.name) ? only : undefined;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** A task's id names its server. */
function tasksExtension(servers: readonly GatewayUpstream[]): unknown {
  const offered = servers.map(({ session }) => session?.capabilities.extensions);
  return offered.filter(isRecord).find((extensions) => extensions[TASKS_EXTENSION] !== undefined)?.[TASKS_EXTENSION];
}

function legacyTasks(servers: readonly GatewayUpstream[]): Readonly<Record<string, unknown>> | undefined {
  const offered = servers.flatMap(({ session }) => (session?.era === 'modern' ? [] : [session?.capabilities.tasks]));
  return offered.filter(isRecord).reduce<Readonly<Record<string, unknown>> | undefined>(mergeDeep, undefined);
}

function mergeDeep(
  left: Readonly<Record<string, unknown>> | undefined,
  right: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const merged = Object.entries(right).map(([key, value]) => {
    const known = left?.[key];
    return [key, isRecord(known) && isRecord(value) ? mergeDeep(known, value) : (known ?? value)];
  });
  return { ...left, ...Object.fromEntries(merged) };
}

/** With `as-is` names, the only server introduces itself, except where the app overrides it; several add instructions. */
export function selfDescriptionOf(core: GatewayCore, audience: Audience): ServingPolicy {
  const { serving, given, names, registry } = core.policy;
  if (names.mode === 'prefixed' && !names.isNested) return introducing(serving, audience.tools);
  const [only, ...others] = core.usedBy(audience);
  if (names.isNested || others.length > 0) {
    return introducing({ ...serving, instructions: given.instructions ?? '' }, audience.tools);
  }
  const isHeldBack = only !== undefined && registry.pins.holdsInstructions(only.name);
  const session = isHeldBack ? undefined : only?.session;
  return {
    ...serving,
    name: given.name ?? session?.serverInfo?.name ?? serving.name,
    version: given.version ?? session?.serverInfo?.version ?? serving.version,
    instructions: given.instructions ?? session?.instructions ?? '',
  };
}
