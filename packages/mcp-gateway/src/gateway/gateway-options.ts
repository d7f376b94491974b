import { longestTimerMs, milliseconds, optionTable } from '@x/internal/options';
import type { Registry } from '../registry.js';
import {
  guarded,
  resolveServing,
  type ServingOptions,
  type ServingPolicy,
  servingRows,
} from '../serving/serving-policy.js';
import type { SurfacePolicy } from '../serving/surface.js';
import type { ElicitationFallback } from './bridging/elicitation-fallback.js';
import { HELD_CALLS, type HeldCallLimits } from './bridging/held-calls.js';
import { type GatewayNames, gatewayNames, type NamingMode } from './naming/gateway-names.js';
import { type RateLimitOptions, type RateLimitPolicy, resolveRateLimits } from './rate-limits.js';
import type { GatewayProblem, GatewayUpstreams, ReportProblem } from './upstream.js';

/** Options of a gateway. */
export interface GatewayOptions extends ServingOptions {
  /** Source of the tools and of the roles' rights. The servers' tools must already be attached. */
  readonly registry: Registry;
  /** Source of everything else: a client manager of `@x/mcp-client-manager`, or another object with servers. */
  readonly upstreams: GatewayUpstreams;
  /** Form of the names of tools, prompts and resources. Default `prefixed`. */
  readonly names?: NamingMode | undefined;
  /**
   * Time limit for one server's list of resources or prompts, in milliseconds. After it, clients get the other servers'
   * lists, and a notification when this one arrives. Default 5000.
   */
  readonly listTimeoutMs?: number | undefined;
  /**
   * Time limit for a client's response to a server request, in milliseconds. After it, a client before revision
   * 2026-07-28 counts as declining; for a later client, the call is cancelled. Default 300 000.
   */
  readonly inputTimeoutMs?: number | undefined;
  /** Answers elicitation for clients that do not support it, such as a person at a terminal. Default: nothing does. */
  readonly elicitationFallback?: ElicitationFallback | undefined;
  /** Maximum number of calls that wait for clients of revision 2026-07-28. Default 1000. */
  readonly maxHeldCalls?: number | undefined;
  /** Maximum number of waiting calls per connection or principal. Default 32. */
  readonly maxHeldCallsPerClient?: number | undefined;
  /** Rate limits of requests to servers. Default: none. */
  readonly rateLimits?: RateLimitOptions | undefined;
  /** Receives failures of servers, for operators. Default: none. */
  readonly onProblem?: ((problem: GatewayProblem) => void) | undefined;
}

export interface GatewayPolicy {
  readonly registry: Registry;
  readonly upstreams: GatewayUpstreams;
  readonly names: GatewayNames;
  readonly listTimeoutMs: number;
  readonly input: HeldCallLimits;
  readonly elicitationFallback: ElicitationFallback | undefined;
  readonly rateLimits: RateLimitPolicy;
  readonly onProblem: ReportProblem;
  readonly surface: SurfacePolicy;
  /** Excludes what the gateway decides itself: the surface, and the introduction with `as-is` names. */
  readonly serving: ServingPolicy;
  readonly given: Pick<ServingOptions, 'name' | 'version' | 'instructions'>;
}

const count = { kind: 'number', of: 'calls', min: 1, max: longestTimerMs } as const;
const gatewayOptions = optionTable<GatewayOptions>()({
  ...servingRows,
  name: { kind: 'text', default: 'mcp-gateway' },
  registry: { kind: 'other', required: true, check: registryFault },
  upstreams: { kind: 'other', required: true, check: upstreamsFault },
  names: { kind: 'word', words: ['prefixed', 'as-is', 'nested'], default: 'prefixed' },
  listTimeoutMs: { ...milliseconds, default: 5_000 },
  inputTimeoutMs: { ...milliseconds, default: HELD_CALLS.timeoutMs },
  elicitationFallback: { kind: 'object' },
  maxHeldCalls: { ...count, default: HELD_CALLS.max },
  maxHeldCallsPerClient: { ...count, default: HELD_CALLS.maxPerCaller },
  rateLimits: { kind: 'object' },
  onProblem: { kind: 'function' },
});

/** @throws {TypeError} naming the option that is unknown or out of bounds. */
export function resolveGateway(given: GatewayOptions): GatewayPolicy {
  const { registry, upstreams, names, listTimeoutMs, rateLimits, onProblem, ...options } = gatewayOptions.read(given);
  const { surface, maxListedTools, instructionsInSearch, code, ...serving } = resolveServing(options);
  const { maxInstructionCharacters } = serving;
  if (names !== 'prefixed' && surface !== 'full') {
    throw new TypeError(
      `surface must be "full" where names are ${names}, got "${surface}": a search finds prefixed names`,
    );
  }
  const { name, version, instructions } = given;
  return {
    registry,
    upstreams,
    names: gatewayNames[names],
    listTimeoutMs,
    input: {
      timeoutMs: options.inputTimeoutMs,
      max: options.maxHeldCalls,
      maxPerCaller: options.maxHeldCallsPerClient,
    },
    elicitationFallback: options.elicitationFallback,
    rateLimits: resolveRateLimits(rateLimits),
    onProblem: guarded('onProblem', onProblem) ?? (() => undefined),
    surface: { surface, maxListedTools, maxInstructionCharacters, instructionsInSearch, code },
    serving: { ...serving, surface: 'full', maxListedTools, instructionsInSearch, code: undefined },
    given: { name, version, instructions },
  };
}

function registryFault(registry: unknown): string | undefined {
  return typeof Object(registry).policy === 'function' ? undefined : 'what createRegistry gave';
}

function upstreamsFault(upstreams: unknown): string | undefined {
  const { servers, events } = Object(upstreams);
  if (typeof servers === 'function' && typeof events?.on === 'function') return undefined;
  return 'an object with servers() and events, such as a client manager';
}
