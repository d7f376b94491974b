import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stageRows } from '../../dashboard/src/parts/stage-rows.js';

const server = { stage: 'server', atMs: 20, transport: 'http' } as const;
const gateway = (tookMs: number) => ({
  tookMs,
  stages: [{ stage: 'queue', atMs: 0 } as const, { ...server, atMs: 30 }],
});
const call = (tookMs: number, gatewayMs: number) => ({
  tookMs,
  stages: [{ stage: 'queue', atMs: 0 } as const, { ...server, gateway: gateway(gatewayMs) }],
});

test('the stages of a gateway are in the middle of the part of its server', () => {
  expect(stageRows(call(120, 60))).toMatchObject([
    { stage: 'queue', from: 0, drawnMs: 20, depth: 0 },
    { stage: 'server', from: 20, drawnMs: 100, isShortened: false, depth: 0 },
    { stage: 'queue', from: 40, drawnMs: 30, isShortened: false, depth: 1 },
    { stage: 'server', from: 70, drawnMs: 30, isShortened: false, depth: 1 },
  ]);
});

test('bars of a gateway whose clock counted more than the call took are shortened, and say so', () => {
  expect(stageRows(call(120, 400)).slice(2)).toMatchObject([
    { stage: 'queue', from: 20, tookMs: 30, drawnMs: 7.5, isShortened: true },
    { stage: 'server', from: 27.5, tookMs: 370, drawnMs: 92.5, isShortened: true },
  ]);
});

test('no bar leaves the part of its server, for any duration that a gateway claims', () => {
  fc.assert(
    fc.property(fc.double({ min: 30, max: 1e12, noNaN: true }), (gatewayMs) => {
      for (const { from, drawnMs, depth } of stageRows(call(120, gatewayMs))) {
        expect(from).toBeGreaterThanOrEqual(depth === 0 ? 0 : 19.999_999);
        expect(from + drawnMs).toBeLessThanOrEqual(120.000_001);
      }
    }),
  );
});
