import type { RoleRules } from '@x/mcp-registry';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { audienceByIdentity, audienceOfOwner } from '../../src/serving/access.js';

const rules: RoleRules = [
  { role: 'review', allowedTools: [] },
  { role: 'build', allowedTools: [] },
];

test('a caller has the role of its identity', () => {
  const audienceOf = audienceByIdentity(rules, 'build');
  expect(audienceOf({ id: 'alice', role: 'review' })).toEqual({ role: 'review', principal: 'alice' });
});

test('a caller without a role has that of --role, else the default role of the config', () => {
  expect(audienceByIdentity(rules, 'build')({ id: 'bob' })).toEqual({ role: 'build', principal: 'bob' });
  const withDefault: RoleRules = [...rules, { role: 'reader', allowedTools: [], isDefault: true }];
  expect(audienceByIdentity(withDefault, undefined)({ id: 'bob' })).toEqual({ role: 'reader', principal: 'bob' });
  expect(audienceByIdentity(withDefault, 'build')({ id: 'bob' })).toEqual({ role: 'build', principal: 'bob' });
});

test('a caller without any role, or with an unknown one, has no view', () => {
  expect(audienceByIdentity(rules, undefined)({ id: 'bob' })).toBeUndefined();
  expect(audienceByIdentity([], undefined)({ id: 'bob' })).toBeUndefined();
  expect(audienceByIdentity(rules, 'build')({ id: 'bob', role: 'admin' })).toBeUndefined();
});

test('an identity never has a view without a role', () => {
  const role = fc.option(fc.oneof(fc.string(), fc.constantFrom('review', 'build', 'constructor', '')), {
    nil: undefined,
  });
  fc.assert(
    fc.property(role, role, (own, fallback) => {
      const audience = audienceByIdentity(rules, fallback)({ id: 'x', role: own });
      expect(audience === undefined || ['review', 'build'].includes(audience.role ?? '')).toBe(true);
    }),
  );
});

test('the owner has the whole view, or that of --role', () => {
  expect(audienceOfOwner(undefined)()).toEqual({});
  expect(audienceOfOwner('review')()).toEqual({ role: 'review' });
});
