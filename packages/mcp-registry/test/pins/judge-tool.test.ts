import { tool } from '@x/test-servers';
import { describe, expect, test } from 'vitest';
import { makePin } from '../../src/pins/check-pins.js';
import type { ServerPins, ToolPin } from '../../src/pins/pin-store.js';
import { isFirstUse, judgeTool, toPinTable } from '../../src/pins/trust-policy.js';

const log = makePin(tool('log') as never, 'approval');
const push = makePin(tool('push') as never, 'approval');
const git = (...tools: readonly ToolPin[]): ServerPins => ({ server: 'git', tools });

test.each([
  ['all', log, { description: 'Something else' }, 'trusted'],
  ['all', undefined, {}, 'trusted'],
  ['approve', log, {}, 'trusted'],
  ['approve', log, { description: 'Something else' }, 'changed'],
  ['approve', undefined, {}, 'pending'],
  ['pin-on-first-use', log, {}, 'trusted'],
  ['pin-on-first-use', log, { description: 'Something else' }, 'changed'],
  ['pin-on-first-use', undefined, {}, 'pending'],
] as const)('%s: of the pin %j, a tool with %j is %s', (mode, pin, changes, trust) => {
  const known = new Map(pin && [[pin.tool, pin]]);
  expect(judgeTool(mode, known, tool('log', changes) as never)).toBe(trust);
  if (pin === undefined) expect(judgeTool(mode, undefined, tool('log', changes) as never)).toBe(trust);
});

test.each([
  ['pin-on-first-use', undefined, [tool('log')], true],
  ['pin-on-first-use', undefined, [], false],
  ['pin-on-first-use', new Map(), [tool('log')], false],
  ['pin-on-first-use', new Map([['log', log]]), [tool('log')], false],
  ['approve', undefined, [tool('log')], false],
  ['all', undefined, [tool('log')], false],
] as const)('%s of a server with %j: a listing of %j is the first use: %s', (mode, known, tools, is) => {
  expect(isFirstUse(mode, known, tools as never)).toBe(is);
});

describe('the table of pins', () => {
  const before = toPinTable([git(log, push)]);

  test('has each pin of each server', () => {
    expect(before).toEqual(new Map([['git', new Map(Object.entries({ log, push }))]]));
  });

  test('has the same map for the same pins, also if they are read again', () => {
    const again = git({ ...log }, { ...push });
    expect(toPinTable([again], before).get('git')).toBe(before.get('git'));
    expect(toPinTable([again]).get('git')).toBe(before.get('git'));
  });

  test.each<[string, readonly ToolPin[]]>([
    ['one is gone', [log]],
    ['one is there beside them', [log, push, { ...log, tool: 'diff' }]],
    ['one has another name', [log, { ...push, tool: 'pull' }]],
    ['one has another text', [{ ...log, digest: push.digest }, push]],
    ['one was approved at another time', [{ ...log, approvedAt: '2020-01-01T00:00:00.000Z' }, push]],
    ['one was approved in another way', [{ ...log, approvedBy: 'first-use' }, push]],
    ['there is none', []],
  ])('has another map if %s', (_what, tools) => {
    const after = toPinTable([git(...tools)], before).get('git');
    expect(after).toEqual(new Map(tools.map((pin) => [pin.tool, pin])));
  });
});
