import { expect, test } from 'vitest';
import { passedResult } from '../../../src/gateway/forwarding/forwarded-result.js';

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

test('what a server needs first is passed on as it came, to those alone who understand it', () => {
  const asking = { resultType: 'input_required', inputRequests: {}, requestState: 'x', 'x-extra': 1 };
  expect(passedResult(asking, { isModern: true })).toEqual(asking);
  expect(() => passedResult(asking, { isModern: false })).toThrow(expect.objectContaining({ code: -32_603 }));
});
