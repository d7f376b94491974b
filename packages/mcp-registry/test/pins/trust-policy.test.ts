import { expect, test } from 'vitest';
import { resolveTrust } from '../../src/pins/trust-policy.js';

test.each([
  [undefined, 'all', 'all'],
  ['approve', 'approve', 'approve'],
  [{}, 'all', 'all'],
  [{ default: 'pin-on-first-use' }, 'pin-on-first-use', 'pin-on-first-use'],
  [{ servers: { git: 'approve' } }, 'approve', 'all'],
  [{ default: 'approve', servers: { git: 'all' } }, 'all', 'approve'],
] as const)('%j is %s for git and %s for others', (trust, git, other) => {
  const policy = resolveTrust(trust);
  expect([policy.modeOf('git'), policy.modeOf('toString')]).toEqual([git, other]);
});

const modes = '"all", "pin-on-first-use" or "approve"';
const servers = 'trust.servers must be an object of modes by server names';
test.each([
  ['yes', `trust must be ${modes}, got "yes"`],
  [5, `trust must be ${modes}, got 5`],
  [null, `trust must be ${modes}, got null`],
  [{ default: 'none' }, `trust.default must be ${modes}, got "none"`],
  [{ servers: { 'a"b': true } }, `trust.servers["a\\"b"] must be ${modes}, got true`],
  [{ servers: 'approve' }, `${servers}, got "approve"`],
  [{ servers: 5 }, `${servers}, got 5`],
  [{ servers: null }, `${servers}, got null`],
])('%j is refused', (trust, message) => {
  expect(() => resolveTrust(trust as never)).toThrow(new TypeError(message));
});
