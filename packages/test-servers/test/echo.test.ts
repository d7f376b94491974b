import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { RawServer } from './helpers/raw-server.js';

afterEach(expectNoLeaks);

test('echo lists its tools', async () => {
  await using server = new RawServer('echo');
  await server.initialize();
  expect(await server.toolNames()).toEqual([
    'echo',
    'pid',
    'add',
    'environment',
    'arguments',
    'directory',
    'fail',
    'exit',
  ]);
});

test('echo answers its tools', async () => {
  await using server = new RawServer('echo', '--flag', 'a b');
  expect(await server.text('echo', { text: 'hello' })).toBe('hello');
  expect(await server.text('add', { a: 2, b: 3 })).toBe('5');
  expect(await server.text('pid')).toBe(String(server.child.pid));
  expect(JSON.parse(await server.text('arguments'))).toEqual(['--flag', 'a b']);
  expect(JSON.parse(await server.text('environment'))).toMatchObject({
    MCP_CLIENT_MANAGER_OWNER: `${process.pid}-test`,
  });
  expect(await server.text('directory')).toBe(process.cwd());
});

test('a tool that fails answers with an error result', async () => {
  await using server = new RawServer('echo');
  expect((await server.call('fail')).result).toMatchObject({ isError: true });
});

test('the tool exit ends the server without an answer', async () => {
  await using server = new RawServer('echo');
  server.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'exit', arguments: { code: 5 } } });
  expect(await server.exited).toEqual({ code: 5, signal: null });
  await server.stdoutClosed;
  expect(server.lines).toEqual([]);
});
