import type { ServerCapabilities } from '@modelcontextprotocol/server';
import { isRecord } from '../catalog/json-copy.js';
import type { RolePolicy } from '../roles/compile-role.js';
import type { ServingPolicy } from '../server/serving-policy.js';
import type { GatewayCore } from './gateway-core.js';
import { mayUseWhole } from './passing-on/other-methods.js';
import { TASKS_EXTENSION } from './tasks/task-results.js';
import type { GatewayUpstream, UpstreamCapabilities } from './upstream.js';

/** For whom a connection is. */
interface CapabilityScope {
  readonly era: 'legacy' | 'modern';
  readonly policy: RolePolicy;
}

/** What any of the servers offers, or may offer when it is connected to: what was not declared can never be added. */
export function capabilitiesOf({ policy: { names }, upstreams }: GatewayCore, scope: CapabilityScope) {
  const servers = upstreams.servers();
  const isOffered = (offers: (capabilities: UpstreamCapabilities) => unknown) =>
    servers.some(({ session }) => session === undefined || Boolean(offers(session.capabilities)));
  const listChanged = true; // told when a server is connected to anew, whatever it declares itself
  const [only, ...others] = servers;
  const isOne = names.mode === 'as-is' && only !== undefined && others.length === 0;
  const further: Readonly<Record<string, unknown>> =
    isOne && mayUseWhole(scope.policy, only.name) ? (only.session?.capabilities ?? {}) : {};
  const extensions = {
    ...fieldsOf(further.extensions),
    [TASKS_EXTENSION]: scope.era === 'modern' ? tasksExtension(servers) : undefined,
  };
  const tasks = scope.era === 'legacy' ? legacyTasks(servers) : undefined;
  return {
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
  } as ServerCapabilities;
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

/** A single server whose names are as they are is also introduced as itself, but for what the app says of it. */
export function selfDescriptionOf({ policy, upstreams }: GatewayCore): ServingPolicy {
  const { serving, given } = policy;
  if (policy.names.mode === 'prefixed') return serving;
  const [only, ...others] = upstreams.servers();
  const isHeldBack = only !== undefined && policy.registry.pins.holdsInstructions(only.name);
  const session = others.length === 0 && !isHeldBack ? only?.session : undefined;
  return {
    ...serving,
    name: given.name ?? session?.serverInfo?.name ?? serving.name,
    version: given.version ?? session?.serverInfo?.version ?? serving.version,
    instructions: given.instructions ?? session?.instructions ?? '',
  };
}
