import { expect, test } from 'vitest';
import { failureOf, fixtureSpec, managerWith, textOf } from '../../helpers/servers.js';

const spec = fixtureSpec('odd-server.mjs', ['string-ids']);

test('works with a server that returns ids as strings', async () => {
  await using manager = managerWith({}, spec);
  const server = manager.server('fixture');
  const progress: number[] = [];
  const onProgress = (told: { progress: number }): void => void progress.push(told.progress);
  expect(textOf(await server.callTool('act', {}, { onProgress }))).toBe('acted');
  expect(await server.request('vendor/any', {}, { onProgress })).toEqual({});
  expect((await server.readResource('odd:a')).contents).toHaveLength(1);
  expect(progress).toEqual([1]);
  expect(await failureOf(server.callTool('fail'))).toMatchObject({ code: 'server-error', rpc: { code: -32_000 } });
});

test('oversized results of such a server fail only their request', async () => {
  await using manager = managerWith({ maxMessageBytes: 100_000 }, spec);
  const server = manager.server('fixture');
  expect(await failureOf(server.callTool('act', { huge: true }))).toMatchObject({ code: 'result-too-large' });
  expect(await failureOf(server.readResource('odd:huge'))).toMatchObject({ code: 'result-too-large' });
  expect(textOf(await server.callTool('act'))).toBe('acted');
});
