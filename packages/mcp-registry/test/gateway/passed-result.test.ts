import { expect, test } from 'vitest';
import { passedResult } from '../../src/gateway/passed-result.js';

test('how long a result may be kept is passed on to those who can know, for themselves alone', () => {
  const result = { contents: [], resultType: 'complete', ttlMs: 60_000, cacheScope: 'public', 'x-extra': 1 };
  expect(passedResult(result, { isModern: true })).toEqual({
    contents: [],
    ttlMs: 60_000,
    cacheScope: 'private',
    'x-extra': 1,
  });
  expect(passedResult(result, { isModern: false })).toEqual({ contents: [], 'x-extra': 1 });
  expect(passedResult({ contents: [] }, { isModern: true })).toEqual({ contents: [] });
});

test('what asks the host something is no result', () => {
  const asking = { resultType: 'input_required', inputRequests: {} };
  expect(() => passedResult(asking, { isModern: true })).toThrow(expect.objectContaining({ code: -32_603 }));
});
