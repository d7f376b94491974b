import { expect, test } from 'vitest';
import {
  askingForStages,
  asksForStages,
  takeStages,
  withGateway,
  withStages,
} from '../../src/dashboard/gateway-stages.js';

const content = [] as [];
const server = (gateway?: unknown) => ({ stage: 'server', atMs: 1, server: 'git', transport: 'stdio', gateway });
const answer = (value: unknown) => takeStages({ content, _meta: { 'mcpx/stages': value } });

test('a client asks in _meta, and gets stages without the hosts of servers', () => {
  expect(asksForStages(undefined)).toBe(false);
  expect(asksForStages(askingForStages({ progressToken: 1 }))).toBe(true);
  const stages = [{ stage: 'server', atMs: 1, server: 'git', transport: 'http', host: 'internal.example' }] as const;
  const sent = withStages({ content, _meta: { own: 1 } }, { stages, tookMs: 3 });
  expect(JSON.stringify(sent)).not.toContain('internal.example');
  const { result, gateway } = takeStages(sent);
  expect(result).toEqual({ content, _meta: { own: 1 } });
  expect(gateway).toEqual({ stages: [{ stage: 'server', atMs: 1, server: 'git', transport: 'http' }], tookMs: 3 });
  expect(withGateway([...stages, { stage: 'mcpx', atMs: 4 }], gateway)).toEqual([
    { ...stages[0], gateway },
    { stage: 'mcpx', atMs: 4 },
  ]);
});

test.each([
  ['no object', 7],
  ['no stages', { tookMs: 3 }],
  ['an empty list', { tookMs: 3, stages: [] }],
  ['an unknown stage', { tookMs: 3, stages: [{ stage: '<script>', atMs: 1 }] }],
  ['a time after its end', { tookMs: 3, stages: [{ stage: 'server', atMs: 4 }] }],
  ['times that go back', { tookMs: 3, stages: [{ stage: 'mcpx', atMs: 2 }, server()] }],
  ['no number', { tookMs: '3', stages: [server()] }],
])('stages of a hostile server are left out: %s', (_what, value) => {
  expect(answer(value)).toEqual({ result: { content }, gateway: undefined });
});

test('the stages of a hostile server are bounded in number, depth and names', () => {
  let value: object = { tookMs: 3, stages: [server()] };
  for (let depth = 0; depth < 50; depth += 1) value = { tookMs: 3, stages: [server(value)] };
  expect(JSON.stringify(answer(value).gateway).match(/"tookMs"/g)).toHaveLength(3);
  const many = Array.from({ length: 1_000 }, () => ({ stage: 'server', atMs: 1, server: 'x'.repeat(5_000), evil: 1 }));
  const { gateway } = answer({ tookMs: 3, stages: many });
  expect(gateway?.stages).toHaveLength(32);
  expect(gateway?.stages[0]?.server).toHaveLength(200);
  expect(gateway?.stages[0]).not.toHaveProperty('evil');
});
