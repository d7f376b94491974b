import { expect, test } from 'vitest';
import { forwardedResult } from '../../../src/gateway/forwarding/forwarded-result.js';

test('cache lifetimes are passed on to clients of revision 2026-07-28, with a private scope', () => {
  const result = { contents: [], resultType: 'complete', ttlMs: 60_000, cacheScope: 'public', 'x-extra': 1 };
  expect(forwardedResult(result, { isModern: true })).toEqual({
    contents: [],
    ttlMs: 60_000,
    cacheScope: 'private',
    'x-extra': 1,
  });
  expect(forwardedResult(result, { isModern: false })).toEqual({ contents: [], 'x-extra': 1 });
  expect(forwardedResult({ contents: [] }, { isModern: true })).toEqual({ contents: [] });
});

test('input_required results are passed on unchanged, only to clients of revision 2026-07-28', () => {
  const asking = { resultType: 'input_required', inputRequests: {}, requestState: 'x', 'x-extra': 1 };
  expect(forwardedResult(asking, { isModern: true })).toEqual(asking);
  expect(() => forwardedResult(asking, { isModern: false })).toThrow(expect.objectContaining({ code: -32_603 }));
});
