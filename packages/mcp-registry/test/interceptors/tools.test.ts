import type { Interceptor } from '@x/internal/views';
import { textOf, textResult } from '@x/test-servers';
import { expect, test } from 'vitest';
import { createRegistry } from '../../src/registry.js';

const whoami = { name: 'whoami', description: 'Says who calls', inputSchema: { type: 'object', maxProperties: 0 } };
const answering: Interceptor = {
  name: 'answering',
  tools: [whoami],
  call: (call, next) =>
    call.tool.name === 'whoami' ? Promise.resolve(textResult(JSON.stringify(call.caller))) : next(),
};
const roles = [
  { role: 'reader', allowedTools: ['whoami'] },
  { role: 'other', allowedTools: ['elsewhere'] },
];

test('a tool of an interceptor is answered by it, under the rules of roles', async () => {
  const registry = createRegistry({ interceptors: [answering], roles });
  const ada = registry.view({ role: 'reader', principal: 'ada' });
  expect(ada.list().map(({ name }) => name)).toEqual(['search_mcp_tools', 'whoami']);
  expect(textOf(await ada.call('whoami'))).toBe('{"role":"reader","principal":"ada"}');
  await expect(ada.call('whoami', { more: 1 })).rejects.toMatchObject({ code: 'invalid-arguments' });
  await expect(registry.view({ role: 'other' }).call('whoami')).rejects.toMatchObject({ code: 'unknown-tool' });
});

test('a tool that no interceptor answers fails', async () => {
  const registry = createRegistry({ interceptors: [{ name: 'silent', tools: [whoami] }] });
  expect(await registry.call('whoami')).toMatchObject({ isError: true });
});

test('names that are taken, and tools without a description, are refused', () => {
  const registry = createRegistry({ interceptors: [answering] });
  expect(() => registry.register(whoami, () => '')).toThrow('whoami is registered already');
  const twice = [answering, { ...answering, name: 'again' }];
  expect(() => createRegistry({ interceptors: twice })).toThrow('whoami is registered already');
  const silent = { name: 'silent', tools: [{ name: 'bare', inputSchema: { type: 'object' } }] };
  expect(() => createRegistry({ interceptors: [silent] })).toThrow('description of the tool bare must be a text');
  expect(() => createRegistry().register({ ...whoami, name: 'read_mcp_result' }, () => '')).toThrow(
    'give this one another name',
  );
});
