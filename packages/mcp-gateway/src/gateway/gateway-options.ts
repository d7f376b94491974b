import { longestTimerMs, milliseconds, optionTable } from '@x/internal/options';
import type { Registry } from '../registry.js';
import { resolveServing, type ServingOptions, type ServingPolicy, servingRows } from '../server/serving-policy.js';
import { guarded } from '../serving/error-listener.js';
import type { SurfacePolicy } from '../serving/surface.js';
import type { HeldCallLimits } from './bridging/held-calls.js';
import { type RateLimitOptions, type RateLimitPolicy, resolveRateLimits } from './limits/rate-limits.js';
import { type GatewayNames, gatewayNames, type NamingMode } from './naming/gateway-names.js';
import type { GatewayProblem, ReportProblem } from './problems.js';
import type { GatewayUpstreams } from './upstream.js';

/** Parts and options of a gateway. */
export interface GatewayOptions extends ServingOptions {
  /** Source of the tools, and of the rights of roles. The servers' tools must be attached to it already. */
  readonly registry: Registry;
  /** Source of everything else: a client manager of `@x/mcp-client-manager`, or another object with servers. */
  readonly upstreams: GatewayUpstreams;
  /** Form of the names of tools, prompts and resources. Default `prefixed`. */
  readonly names?: NamingMode | undefined;
  /**
   * Longest wait for one server's list of resources or prompts, in milliseconds. Default 5000. After that the other
   * servers are listed without it, and clients are notified when it arrives.
   */
  readonly listTimeoutMs?: number | undefined;
  /**
   * Time for a client's response to a server request, in milliseconds. Default 300 000. After that a client of the
   * revisions before 2026-07-28 has declined; a call of a client of a later revision, which has to come back with its
   * responses, is cancelled.
   */
  readonly inputTimeoutMs?: number | undefined;
  /** Maximum number of calls that wait for clients of the 2026-07-28 revision. Default 1000. */
  readonly maxHeldCalls?: number | undefined;
  /** Maximum number of them per connection or principal. Default 32. */
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
  readonly rateLimits: RateLimitPolicy;
  readonly onProblem: ReportProblem;
  readonly surface: SurfacePolicy;
  /** Without the surface, which the gateway makes itself, and without the server's introduction with `as-is` names. */
  readonly serving: ServingPolicy;
  readonly given: Pick<ServingOptions, 'name' | 'version' | 'instructions'>;
}

const count = { kind: 'number', of: 'calls', min: 1, max: longestTimerMs } as const;
const gatewayOptions = optionTable<GatewayOptions>()({
  ...servingRows,
  name: { kind: 'text', default: 'mcp-gateway' },
  registry: { kind: 'other', required: true, check: registryFault },
  upstreams: { kind: 'other', required: true, check: upstreamsFault },
  names: { kind: 'word', words: ['prefixed', 'as-is'], default: 'prefixed' },
  listTimeoutMs: { ...milliseconds, default: 5_000 },
  inputTimeoutMs: { ...milliseconds, default: 300_000 },
  maxHeldCalls: { ...count, default: 1_000 },
  maxHeldCallsPerClient: { ...count, default: 32 },
  rateLimits: { kind: 'object' },
  onProblem: { kind: 'function' },
});

/** @throws {TypeError} naming the option that is misspelt or out of its bounds. */
export function resolveGateway(given: GatewayOptions): GatewayPolicy {
  const { registry, upstreams, names, listTimeoutMs, rateLimits, onProblem, ...options } = gatewayOptions.read(given);
  const { surface, maxListedTools, ...serving } = resolveServing(options);
  if (names === 'as-is' && surface !== 'full') {
    throw new TypeError(
      `surface must be "full" where names are as-is, got "${surface}": a search finds prefixed names`,
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
    rateLimits: resolveRateLimits(rateLimits),
    onProblem: guarded('onProblem', onProblem) ?? (() => undefined),
    surface: { surface, maxListedTools },
    serving: { ...serving, surface: 'full', maxListedTools },
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
