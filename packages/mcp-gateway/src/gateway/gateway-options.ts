import { callListener } from '@x/internal/events';
import type { Registry } from '../registry.js';
import { resolveServing, type ServingOptions, type ServingPolicy } from '../server/serving-policy.js';
import { checkWhole, MAX_TIMER_MS } from '../server/whole-numbers.js';
import type { SurfacePolicy } from '../serving/surface.js';
import type { HeldCallLimits } from './bridging/held-calls.js';
import { type RateLimitOptions, type RateLimitPolicy, resolveRateLimits } from './limits/rate-limits.js';
import { type GatewayNames, type NamingMode, resolveNames } from './naming/gateway-names.js';
import type { GatewayProblem, ReportProblem } from './problems.js';
import type { GatewayUpstreams } from './upstream.js';

/** What a gateway joins, and how clients see it. */
export interface GatewayOptions extends ServingOptions {
  /** Where the tools come from, and what roles may use. The servers' tools have to be attached to it already. */
  readonly registry: Registry;
  /** Where all else comes from: a client manager of `@x/mcp-client-manager`, or whatever else has servers. */
  readonly upstreams: GatewayUpstreams;
  /** How clients see the names of tools, prompts and resources. Default `prefixed`. */
  readonly names?: NamingMode | undefined;
  /**
   * Longest wait for one server's list of resources or prompts, in milliseconds. Default 5000. The others do not wait for
   * it beyond that, and clients are told of the list's change when it comes.
   */
  readonly listTimeoutMs?: number | undefined;
  /**
   * How long a client has to answer what a server asks it for in the middle of a call, in milliseconds. Default 300 000.
   * After that a client of the revisions before 2026-07-28 has refused; a call for one of a later revision, which is to
   * come back with the answers, is cancelled.
   */
  readonly inputTimeoutMs?: number | undefined;
  /** How many calls wait at a time for clients of the 2026-07-28 revision to come back with answers. Default 1000. */
  readonly maxHeldCalls?: number | undefined;
  /** How many of them may be one connection's or one principal's. Default 32. */
  readonly maxHeldCallsPerClient?: number | undefined;
  /** How often servers may be asked for work. Default: as often as callers like. */
  readonly rateLimits?: RateLimitOptions | undefined;
  /** Told of what servers did not do, for operators. Default: nobody is. */
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
  /** Without the surface, which the gateway makes itself, and without what is said of the server where that is as-is. */
  readonly serving: ServingPolicy;
  readonly given: Pick<ServingOptions, 'name' | 'version' | 'instructions'>;
}

/** @throws {TypeError} naming the option that is out of its bounds. */
export function resolveGateway({
  registry,
  upstreams,
  names,
  listTimeoutMs = 5_000,
  inputTimeoutMs = 300_000,
  maxHeldCalls = 1_000,
  maxHeldCallsPerClient = 32,
  rateLimits,
  onProblem,
  ...options
}: GatewayOptions): GatewayPolicy {
  if (typeof registry?.policy !== 'function') throw new TypeError('registry must be what createRegistry gave');
  if (typeof upstreams?.servers !== 'function' || typeof upstreams.events?.on !== 'function') {
    throw new TypeError('upstreams must have servers() and events, as a client manager has');
  }
  checkWhole({ listTimeoutMs, inputTimeoutMs, maxHeldCalls, maxHeldCallsPerClient }, MAX_TIMER_MS);
  if (onProblem !== undefined && typeof onProblem !== 'function') throw new TypeError('onProblem must be a function');
  const resolved = resolveNames(names);
  const { surface, ...serving } = resolveServing({ name: 'mcp-gateway', ...options });
  if (resolved.mode === 'as-is' && surface.surface !== 'full') {
    throw new TypeError(
      `surface must be "full" where names are as-is, got "${surface.surface}": a search finds prefixed names`,
    );
  }
  return {
    registry,
    upstreams,
    names: resolved,
    listTimeoutMs,
    input: { timeoutMs: inputTimeoutMs, max: maxHeldCalls, maxPerCaller: maxHeldCallsPerClient },
    rateLimits: resolveRateLimits(rateLimits),
    onProblem: guard(onProblem),
    surface,
    serving: { ...serving, surface: { ...surface, surface: 'full' } },
    given: options,
  };
}

function guard(onProblem: ((problem: GatewayProblem) => void) | undefined): ReportProblem {
  return (problem) => callListener('onProblem', () => onProblem?.(problem));
}
