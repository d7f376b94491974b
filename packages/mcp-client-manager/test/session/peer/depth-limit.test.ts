import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { ManagerError } from '../../../src/errors.js';
import { isTooDeep } from '../../../src/session/peer/depth-limit.js';
import { failureOf, fixtureSpec, managerOf, textOf } from '../../helpers/servers.js';

afterEach(expectNoLeaks);

test.each([
  ['a call by the short way', {}],
  ['a call by the long way', { params: { 'x-extra': 1 } }],
])('a value that is nested too deep fails only %s', async (_way, options) => {
  await using manager = managerOf(fixtureSpec('asks-late.mjs'));
  const call = (args: Record<string, unknown>) => manager.callTool('fixture', 'deep', args, options);
  const failure = { code: 'result-too-large', message: expect.stringContaining('more than 1000 levels') };
  expect(await failureOf(call({ levels: 100_000 }))).toMatchObject(failure);
  const refused = await failureOf(call({ levels: 100_000, isError: true }));
  expect(JSON.stringify((refused as ManagerError).rpc)).toContain('nested too deeply');
  expect(JSON.stringify(await call({ levels: 990 }))).toContain('"a":1');
  expect(textOf(await manager.callTool('fixture', 'said'))).toContain('said');
});

test('counts levels of arrays and objects', () => {
  expect([isTooDeep(1, 0), isTooDeep([], 0), isTooDeep([{}], 2), isTooDeep([{ a: [] }], 2)]).toEqual([
    false,
    true,
    false,
    true,
  ]);
});
