import { type Rate, rateOptions, TokenBuckets } from '@x/internal/limits';
import { optionTable } from '@x/internal/options';
import type { InterceptedCall, Interceptor } from '@x/internal/views';
import { RegistryError } from '../errors.js';
import { NamedTools } from './named-tools.js';

/** A limit of calls. */
export interface CallRate extends Rate {
  /** Patterns as in `allowedTools` of a role. Default: all tools. */
  readonly tools?: readonly string[] | undefined;
  /**
   * What shares one limit: each principal, each role, or all callers together. Callers without a principal, or without a
   * role, count as one. Default `principal`.
   */
  readonly per?: 'principal' | 'role' | 'all' | undefined;
  /** True if each tool has a limit of its own. Default `false`: the tools share one. */
  readonly eachTool?: boolean | undefined;
}

const rows = optionTable<Omit<CallRate, keyof Rate>>()({
  tools: { kind: 'texts' },
  per: { kind: 'word', words: ['principal', 'role', 'all'], default: 'principal' },
  eachTool: { kind: 'flag', default: false },
});

/**
 * Refuses calls over a limit before they reach a tool. A call must be within all limits that concern it.
 *
 * @throws {TypeError} naming the invalid field.
 */
export function limitRates(rates: readonly CallRate[]): Interceptor {
  if (!Array.isArray(rates)) throw new TypeError('limitRates() takes a list of limits');
  const limits = rates.map((given: CallRate, index) => {
    const { requests, perMs, burst, ...others } = given;
    const where = `rates[${index}].`;
    const { tools, per, eachTool } = rows.read(others, where);
    const rate = rateOptions.read({ requests, perMs, burst }, where);
    return { rate, per, eachTool, patterns: tools && new NamedTools(tools) };
  });
  const buckets = new TokenBuckets(() => performance.now());
  return {
    name: 'limit-rates',
    async call(call, next) {
      const charges = limits.flatMap(({ rate, per, eachTool, patterns }, index) => {
        if (patterns !== undefined && !patterns.has(call.tool)) return [];
        return [{ key: JSON.stringify([index, sharing(call, per), eachTool && call.tool.name]), rate }];
      });
      const waitMs = buckets.consume(charges);
      if (waitMs === 0) return next();
      const message = `Too many calls of ${call.tool.name}; try again in ${Math.ceil(waitMs)} milliseconds`;
      throw new RegistryError('refused', message, { tool: call.tool.name });
    },
  };
}

function sharing(
  { caller: { principal = '', role = '' } }: InterceptedCall,
  per: 'principal' | 'role' | 'all',
): string {
  return per === 'all' ? '' : per === 'role' ? role : principal;
}
