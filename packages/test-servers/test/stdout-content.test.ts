import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { RawServer } from './helpers/raw-server.js';

afterEach(expectNoLeaks);

test('speaks-garbage writes garbage before, between and after its good messages', async () => {
  await using server = new RawServer('speaks-garbage');
  await server.initialize();
  const garbage: string[] = JSON.parse(await server.text('garbage'));
  expect(garbage.length).toBeGreaterThan(10);
  const [first = '', second = ''] = server.lines.filter((line) => /"id":[12],"result"/.test(line));
  expect(server.lines).toEqual([...garbage, ...garbage, first, ...garbage, second]);
});

test('huge-result answers with one line of the size it was asked for', async () => {
  await using server = new RawServer('huge-result');
  expect(await server.text('big', { bytes: 12_000_000 })).toHaveLength(12_000_000);
  expect(server.lines).toHaveLength(1);
});
