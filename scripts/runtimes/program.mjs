// What has to work in every JavaScript runtime. All of it up to `useRegistry` runs while the module is loaded, where a
// Cloudflare Worker allows no timer and no AbortController.
import { createConstantSurface, createRegistry, isRegistryError } from '@x/mcp-registry';
import { anthropic } from '@x/mcp-registry/formats';

const zip = { type: 'object', properties: { zip: { type: 'string', pattern: '^[0-9]{5}$' } }, required: ['zip'] };
const longName = `read_${'a_very_long_name_'.repeat(6)}`;

const registry = createRegistry({
  roles: [{ role: 'reader', allowedTools: ['files.read'] }],
  trust: 'pin-on-first-use',
});
registry.attach(source('files', () => [tool('read'), tool('write'), tool(longName)]));
const later = registry.attach(source('post', async () => [tool('find_town', zip)]));
registry.register({ name: 'wait', description: 'Waits for ever' }, () => new Promise(() => undefined));
registry.register({ name: 'add', description: 'Adds' }, ({ a, b }) => ({ sum: Number(a) + Number(b) }));
const reader = registry.view({ role: 'reader' });

/** @returns What went wrong, as texts; empty if nothing did. */
export async function useRegistry() {
  const faults = [];
  const expect = (what, actual, expected) => {
    const [is, wanted] = [actual, expected].map((value) => JSON.stringify(value));
    if (is !== wanted) faults.push(`${what}: ${is} instead of ${wanted}`);
  };
  const codeOf = (call) => call.then(String, (error) => (isRegistryError(error) ? error.code : String(error)));
  const found = async (request, view = registry) => (await view.search(request)).tools.map(({ tool: name }) => name);

  await later.ready;
  expect('tools', registry.list().length, 7);
  expect('a name that is too long', registry.list().filter(({ name }) => name.length > 64).length, 0);
  expect('words', await found({ query: 'find a town', limit: 1 }), ['find_town']);
  expect('words of a role', await found({ query: 'write' }, reader), []);
  expect('pattern', await found({ query: '^wr', useRegex: true }), ['write']);
  expect('call', (await registry.call('mcp__files__read', { path: 'a' })).content[0].text, 'files ran read');
  expect('call of a native tool', (await registry.call('add', { a: 1, b: 2 })).structuredContent, { sum: 3 });
  expect('role', await codeOf(reader.call('mcp__files__write')), 'unknown-tool');
  expect('fitting text', await codeOf(registry.call('mcp__post__find_town', { zip: '12345' })), '[object Object]');
  expect('unfit text', await codeOf(registry.call('mcp__post__find_town', { zip: '1234x' })), 'invalid-arguments');
  expect('time', await codeOf(registry.call('wait', {}, { timeoutMs: 20 })), 'timed-out');
  const given = new AbortController();
  const ended = codeOf(registry.call('wait', {}, { signal: given.signal }));
  given.abort('enough');
  expect('abort', await ended, 'enough');
  expect('constant listing', createConstantSurface(reader).list().length, 2);
  expect('formats', anthropic(reader).tools.length, 2);
  expect('approvals', (await registry.pins.list({ trust: 'trusted' })).length, 4);
  const changes = registry.changes();
  const extra = registry.register({ name: 'extra', description: 'One more' }, () => 'done');
  expect('changes', (await changes.next()).value.added, ['extra']);
  extra[Symbol.dispose]();
  expect('diagnostics', await registry.diagnostics(), []);
  const last = codeOf(registry.call('wait'));
  await registry.close();
  expect('close', await last, 'closed');
  return faults;
}

function tool(name, inputSchema = { type: 'object' }) {
  return { name, description: `Does ${name.replaceAll('_', ' ')}`, inputSchema };
}

function source(name, listTools) {
  const callTool = async (called) => ({ content: [{ type: 'text', text: `${name} ran ${called}` }] });
  return { name, listTools, callTool };
}
