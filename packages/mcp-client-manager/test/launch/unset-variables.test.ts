// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the specs use such strings
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { ManagerError } from '../../src/errors.js';
import type { ServerSpec } from '../../src/spec.js';
import { failureOf, managerWith, serverSpec } from '../helpers/servers.js';

afterEach(expectNoLeaks);

const needsToken = {
  name: 'a',
  command: '${COMMAND}',
  args: ['${TOKEN}'],
  unsetVariables: ['COMMAND', 'TOKEN'],
} as const;

test('a server with unset variables starts nothing, and a call says at once what it needs', async () => {
  await using manager = managerWith({}, needsToken, serverSpec('echo', [], { name: 'b' }));
  const needs = [
    { kind: 'variable', name: 'COMMAND' },
    { kind: 'variable', name: 'TOKEN' },
  ];
  expect(manager.server('a').status).toMatchObject({ state: 'stopped', needs });
  const failure = (await failureOf(manager.server('a').callTool('x'))) as ManagerError;
  expect(failure).toMatchObject({ code: 'start-failed', cause: { code: 'not-set-up' }, retryable: false });
  expect(failure.message).toContain('Server "a" is not set up: it needs a value for COMMAND, TOKEN.');
  expect(manager.server('a').status).toMatchObject({ state: 'failed', needs, restarts: 0, retryInMs: undefined });
  expect((await manager.server('b').callTool('echo', { text: 'works' })).isError).not.toBe(true);
  expect(manager.server('b').status.needs).toBeUndefined();
});

test.each([{ url: '${URL}' }, { url: 'https://${HOST}/mcp', headers: { A: '${TOKEN}' } }])(
  'an address with an unset variable is accepted, and neither a start nor a sign-in requests anything: %j',
  async (target) => {
    await using manager = managerWith({}, { name: 'a', unsetVariables: ['HOST'], ...target });
    const { message, cause } = (await failureOf(manager.server('a').start())) as ManagerError;
    expect(message).toContain('it needs a value for HOST');
    expect(cause).toMatchObject({ code: 'not-set-up' });
    expect(await failureOf(manager.server('a').authorize())).toMatchObject({ code: 'not-set-up' });
  },
);

test('a server works once the applied spec has its variables, and stops when it loses them', async () => {
  const whole = serverSpec('echo', [], { name: 'a' });
  await using manager = managerWith({}, needsToken);
  await failureOf(manager.server('a').start());
  expect(await manager.apply({ servers: [whole] })).toMatchObject({ restarted: ['a'] });
  await manager.server('a').callTool('echo', { text: 'works' });
  expect(manager.server('a').status).toMatchObject({ state: 'running', needs: undefined });

  await manager.apply({ servers: [{ ...whole, unsetVariables: ['TOKEN'] }] });
  expect(manager.server('a').status.pid).toBeUndefined();
  expect(await failureOf(manager.server('a').callTool('echo'))).toMatchObject({ cause: { code: 'not-set-up' } });
});

test('a missing program is a need', async () => {
  await using manager = managerWith({}, { name: 'a', command: 'no-such-program-here' });
  await failureOf(manager.server('a').start());
  expect(manager.server('a').status.needs).toEqual([{ kind: 'program', name: 'no-such-program-here' }]);
});

test('names that are no texts are refused', () => {
  const spec = { name: 'a', command: 'x', unsetVariables: 'TOKEN' } as unknown as ServerSpec;
  expect(() => managerWith({}, spec)).toThrow('server "a": unsetVariables must be a list of names');
});
