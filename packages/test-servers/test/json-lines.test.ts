import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { RawServer } from './helpers/raw-server.js';

afterEach(expectNoLeaks);

test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
  'initialize takes revision %s',
  async (revision) => {
    await using server = new RawServer('echo');
    expect((await server.initialize(revision)).result).toMatchObject({ protocolVersion: revision });
  },
);

test('initialize answers an unknown revision with the newest one', async () => {
  await using server = new RawServer('echo');
  expect((await server.initialize('1999-01-01')).result).toMatchObject({ protocolVersion: '2025-11-25' });
});

test('ping is answered with an empty result', async () => {
  await using server = new RawServer('echo');
  expect((await server.request('ping')).result).toEqual({});
});

test.each(['server/discover', '__proto__', 'toString'])('the unknown method %s is refused', async (method) => {
  await using server = new RawServer('echo');
  expect((await server.request(method)).error).toMatchObject({ code: -32601 });
});

test('an unknown tool is refused', async () => {
  await using server = new RawServer('echo');
  expect((await server.call('nope')).error).toMatchObject({ code: -32602 });
});

test('a line that is not JSON is passed over', async () => {
  await using server = new RawServer('echo');
  server.child.stdin.write('not json\n\n[]\nnull\n');
  expect(await server.text('echo', { text: 'still here' })).toBe('still here');
});

test('the server leaves at the end of stdin', async () => {
  await using server = new RawServer('echo');
  await server.initialize();
  server.child.stdin.end();
  expect(await server.exited).toEqual({ code: 0, signal: null });
});
