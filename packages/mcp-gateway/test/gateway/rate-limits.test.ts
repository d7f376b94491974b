import { TokenBuckets } from '@x/internal/limits';
import { createRegistry } from '@x/mcp-registry';
import type { AuditEvent } from '@x/mcp-registry/audit';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.js';
import { RateLimits, resolveRateLimits } from '../../src/gateway/rate-limits.js';
import { gatewayWays } from './helpers/gateway-client.js';
import { openSdkUpstreams } from './helpers/sdk-upstreams.js';
import { createShelf } from './helpers/shelf-server.js';

const HOUR_MS = 3_600_000;

function clock() {
  let nowMs = 1_000;
  return { now: () => nowMs, pass: (ms: number) => (nowMs += ms) };
}

/** What the request is answered with, or nothing. */
function refusalOf(limits: RateLimits, request: { role?: string; principal?: string; server?: string }) {
  try {
    limits.consume({ role: request.role, principal: request.principal, server: request.server ?? 'a' });
    return undefined;
  } catch (error) {
    return (error as { data: unknown }).data;
  }
}

describe('a token bucket', () => {
  const charge = { key: 'one', rate: { requests: 10, perMs: 1_000, burst: 3 } };

  test('allows its burst at once, then its rate', () => {
    const { now, pass } = clock();
    const buckets = new TokenBuckets(now);
    expect([1, 2, 3, 4].map(() => buckets.consume([charge]))).toEqual([0, 0, 0, 100]);
    pass(99);
    expect(buckets.consume([charge])).toBeCloseTo(1);
    pass(1);
    expect(buckets.consume([charge])).toBe(0);
    pass(60_000);
    expect([1, 2, 3, 4].map(() => buckets.consume([charge]))).toEqual([0, 0, 0, 100]);
  });

  test('loses no token to a request that another bucket refuses', () => {
    const buckets = new TokenBuckets(clock().now);
    const other = { key: 'other', rate: { requests: 1, perMs: 1_000 } };
    expect(buckets.consume([other])).toBe(0);
    for (let count = 0; count < 10; count++) expect(buckets.consume([charge, other])).toBe(1_000);
    expect(buckets.consume([charge])).toBe(0);
  });

  test('of a former caller is removed', () => {
    const { now, pass } = clock();
    const buckets = new TokenBuckets(now);
    for (let count = 0; count < 100_000; count++) {
      buckets.consume([{ key: String(count), rate: { requests: 1, perMs: 1_000 } }]);
      pass(10);
    }
    expect(buckets.size).toBeLessThanOrEqual(1_000);
  });

  test('never allows more than burst and refill, and never refuses a caller that waited as advised', () => {
    const steps = fc.array(fc.oneof(fc.constant('take' as const), fc.nat({ max: 5_000 })), { maxLength: 200 });
    const rates = fc.record({
      requests: fc.integer({ min: 1, max: 50 }),
      perMs: fc.integer({ min: 1, max: 10_000 }),
      burst: fc.integer({ min: 1, max: 100 }),
    });
    fc.assert(
      fc.property(rates, steps, (rate, taken) => {
        const { now, pass } = clock();
        const buckets = new TokenBuckets(now);
        const start = now();
        let given = 0;
        for (const step of taken) {
          if (step === 'take') {
            const waitMs = buckets.consume([{ key: '', rate }]);
            if (waitMs > 0) {
              pass(Math.ceil(waitMs));
              expect(buckets.consume([{ key: '', rate }])).toBe(0);
            }
            given++;
          } else {
            pass(step);
          }
        }
        expect(given).toBeLessThanOrEqual(rate.burst + ((now() - start) * rate.requests) / rate.perMs + 1e-6);
      }),
    );
  });
});

describe('rate limits', () => {
  const once = { requests: 1, perMs: HOUR_MS };

  test('of roles are independent of each other', () => {
    const limits = new RateLimits(resolveRateLimits({ perRole: { requests: 2, perMs: 1_000 } }), clock().now);
    expect([1, 2, 3].map(() => refusalOf(limits, { role: 'crawler' }))).toEqual([
      undefined,
      undefined,
      { reason: 'rate-limited', retryAfterMs: 500 },
    ]);
    expect(refusalOf(limits, { role: 'review' })).toBeUndefined();
    expect(refusalOf(limits, {})).toBeUndefined();
  });

  test('apply to single roles, principals and servers', () => {
    const options = {
      perRole: { crawler: once },
      perPrincipal: { requests: 2, perMs: HOUR_MS },
      perServer: { b: once },
    };
    const limits = new RateLimits(resolveRateLimits(options), clock().now);
    const isRefused = (request: Parameters<typeof refusalOf>[1]) => refusalOf(limits, request) !== undefined;
    expect([isRefused({ role: 'crawler' }), isRefused({ role: 'crawler' })]).toEqual([false, true]);
    expect(isRefused({ role: 'review', principal: 'x', server: 'b' })).toBe(false);
    expect(isRefused({ role: 'review', principal: 'x', server: 'b' })).toBe(true);
    expect(isRefused({ role: 'review', principal: 'x' })).toBe(false);
    expect(isRefused({ role: 'review', principal: 'x' })).toBe(true);
    expect(isRefused({ role: 'review', principal: 'y' })).toBe(false);
    for (let count = 0; count < 10; count++) expect(isRefused({ role: 'review' })).toBe(false);
  });

  test.each([
    [{ perRole: { requests: 0, perMs: 1 } }, 'rateLimits.perRole.requests must be'],
    [{ perRole: { requests: 1, perMs: 0.5 } }, 'rateLimits.perRole.perMs must be'],
    [{ perRole: { requests: 1 } }, 'rateLimits.perRole.perMs must be'],
    [{ perRole: { review: { requests: 1, perMs: 1, burst: 0 } } }, 'rateLimits.perRole.review.burst must be'],
    [{ perRole: { review: 5 } }, 'rateLimits.perRole.review must be a rate'],
    [{ perPrincipal: {} }, 'rateLimits.perPrincipal must be a rate'],
    [{ perServer: { requests: 1, perMs: 1 } }, 'rateLimits.perServer.requests must be a rate'],
    [{ perServer: [] }, 'rateLimits.perServer must be an object'],
  ])('%j are refused by name', (options, message) => {
    expect(() => resolveRateLimits(options as never)).toThrow(TypeError);
    expect(() => resolveRateLimits(options as never)).toThrow(message);
  });
});

describe.each(gatewayWays)('$name', ({ connect }) => {
  const opened: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  });

  test('a request over a limit gets an error with retryAfterMs, and reaches no server', async () => {
    const registry = createRegistry({ roles: [{ role: 'reader', allowedTools: ['left'] }] });
    const left = createShelf('left');
    const upstreams = await openSdkUpstreams(registry, { left: left.server });
    const gateway = createGateway({
      registry,
      upstreams,
      rateLimits: { perRole: { reader: { requests: 3, perMs: HOUR_MS } } },
    });
    const client = await connect(gateway, { role: 'reader' });
    opened.push(registry, upstreams, gateway, client);

    await client.request('resources/read', { uri: 'mcp+left:book:///one' });
    await client.request('prompts/get', { name: 'mcp__left__summary', arguments: { of: 'x' } });
    await client.request('tools/call', { name: 'mcp__left__find', arguments: {} });
    for (const method of ['tools/list', 'resources/list', 'prompts/list']) await client.request(method);
    await client.request('tools/call', { name: 'search_mcp_tools', arguments: { query: 'find' } });
    const limited = { code: -32_000, data: { reason: 'rate-limited', retryAfterMs: expect.any(Number) } };
    for (const [method, params] of [
      ['tools/call', { name: 'mcp__left__find', arguments: {} }],
      ['resources/read', { uri: 'mcp+left:book:///one' }],
    ] as const) {
      await expect(client.request(method, params)).rejects.toMatchObject(limited);
    }
    const other = await connect(gateway);
    opened.push(other);
    await other.request('resources/read', { uri: 'mcp+left:book:///one' });
  });

  test('of a role apply to clients with the default role, too', async () => {
    const roles = [{ role: 'guest', allowedTools: ['left'], isDefault: true }];
    const events: AuditEvent[] = [];
    const registry = createRegistry({ roles, audit: (event) => events.push(event) });
    const upstreams = await openSdkUpstreams(registry, { left: createShelf('left').server });
    const rateLimits = { perRole: { guest: { requests: 2, perMs: HOUR_MS } } };
    const gateway = createGateway({ registry, upstreams, rateLimits });
    opened.push(registry, upstreams, gateway);
    const find = { name: 'mcp__left__find', arguments: {} };
    for (const [principal, audience] of [
      ['ada', { principal: 'ada' }],
      ['bob', { principal: 'bob' }],
      ['eve', { principal: 'eve', role: 'guest' }],
    ] as const) {
      const client = await connect(gateway, audience);
      opened.push(client);
      const called = client.request('tools/call', find);
      if (principal === 'eve') await expect(called).rejects.toMatchObject({ code: -32_000 });
      else await called;
    }
    const calls = events.filter(({ action }) => action === 'call');
    expect(new Set(calls.map(({ role }) => role))).toEqual(new Set(['guest']));
    expect(calls.at(-1)).toMatchObject({
      principal: 'eve',
      name: 'mcp__left__find',
      server: 'left',
      tool: 'find',
      decision: 'denied',
      reason: 'rate-limited',
    });
  });
});
