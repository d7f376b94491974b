import type { ServerCapabilities } from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import type { ServingPolicy } from '../server/serving-policy.js';
import type { Audience } from './audiences.js';
import type { GatewayCore } from './gateway-core.js';
import { mayUseWhole } from './passing-on/other-methods.js';
import { TASKS_EXTENSION } from './tasks/task-results.js';
import type { GatewayUpstream, UpstreamCapabilities } from './upstream.js';

/** For whom a connection is. */
interface CapabilityScope {
  readonly era: 'legacy' | 'modern';
  readonly audience: Audience;
}

/**
 * The capabilities of the one server that is served as itself; else all that a gateway can have. A capability that is not declared when a
 * client connects cannot be added, and one that follows from a server tells of that server to roles that may not use it.
 */
export function capabilitiesOf(core: GatewayCore, { era, audience }: CapabilityScope) {
  const servers = core.usedBy(audience);
  const own = wholeServerOf(servers, core, audience)?.session?.capabilities;
  const further: Readonly<Record<string, unknown>> = own ?? {};
  const isOffered = (offers: (capabilities: UpstreamCapabilities) => unknown) =>
    own === undefined || Boolean(offers(own));
  const listChanged = true; // told when a server is connected to anew, whatever it declares itself
  const extensions = {
    ...fieldsOf(further.extensions),
    [TASKS_EXTENSION]: era === 'modern' ? tasksExtension(servers) : undefined,
  };
  const tasks = era === 'legacy' ? legacyTasks(servers) : undefined;
  const declared = {
    ...further,
    ...(isOffered(({ resources }) => resources) && {
      resources: {
        ...fieldsOf(further.resources),
        listChanged,
        ...(isOffered(({ resources }) => resources?.subscribe) && { subscribe: true }),
      },
    }),
    ...(isOffered(({ prompts }) => prompts) && { prompts: { ...fieldsOf(further.prompts), listChanged } }),
    ...(isOffered(({ completions }) => completions) && { completions: fieldsOf(further.completions) }),
    ...(isOffered(({ logging }) => logging) && { logging: fieldsOf(further.logging) }),
    // What makes no sense to a client of the other revisions is left out rather than offered in vain.
    tasks,
    extensions: Object.values(extensions).some((each) => each !== undefined) ? extensions : undefined,
    tools: { ...fieldsOf(further.tools), listChanged },
  };
  return Object.fromEntries(Object.entries(declared).filter(([, value]) => value !== undefined)) as ServerCapabilities;
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

/**
 * Tasks work with any number of servers, because a task's id says whose it is. What other extensions there are is passed
 * on where there is but one server: nobody knows which of several would be meant.
 */
function tasksExtension(servers: readonly GatewayUpstream[]): unknown {
  const offered = servers.map(({ session }) => session?.capabilities.extensions);
  return offered.filter(isRecord).find((extensions) => extensions[TASKS_EXTENSION] !== undefined)?.[TASKS_EXTENSION];
}

/** The sum of what servers of the revision 2025-11-25 can do about tasks. */
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

/** The only server that an audience uses is also introduced as itself where names are as they are, but for what the app says of it. */
export function selfDescriptionOf(core: GatewayCore, audience: Audience): ServingPolicy {
  const { serving, given, names, registry } = core.policy;
  if (names.mode === 'prefixed') return serving;
  const [only, ...others] = core.usedBy(audience);
  const isHeldBack = only !== undefined && registry.pins.holdsInstructions(only.name);
  const session = others.length === 0 && !isHeldBack ? only?.session : undefined;
  return {
    ...serving,
    name: given.name ?? session?.serverInfo?.name ?? serving.name,
    version: given.version ?? session?.serverInfo?.version ?? serving.version,
    instructions: given.instructions ?? session?.instructions ?? '',
  };
}
