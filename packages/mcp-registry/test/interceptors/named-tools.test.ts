import { createListSource, tool } from '@x/test-servers';
import { expect, test } from 'vitest';
import { approveCalls } from '../../src/interceptors/approval/approve-calls.js';
import { createRegistry } from '../../src/registry.js';

test.each([
  [['db.query'], ['db.query/query', 'db.query/drop']],
  [['db/query'], ['db.query/query', 'db.query/drop']],
  [['db.query.*'], []],
  [['db.query', 'db.query.drop'], ['db.query/query']],
  [['db'], ['db.query/query', 'db.query/drop']],
  [['mcp__db__query'], ['db.query/query', 'db.query/drop']],
])('%j excepts tools, and no server "db.query" as a whole', async (except, stillAsked) => {
  const asked: string[] = [];
  const ask = ({ server, tool: name }: { readonly server: string | undefined; readonly tool: string }) => {
    asked.push(`${server}/${name}`);
    return { decision: 'approve' as const };
  };
  const registry = createRegistry({ interceptors: [approveCalls({ ask, rules: { except } })] });
  for (const [name, ...tools] of [
    ['db', 'query'],
    ['db.query', 'query', 'drop'],
  ] as const) {
    await registry.attach(
      createListSource(
        name,
        tools.map((each) => tool(each)),
      ),
    ).ready;
  }
  for (const { name, server } of registry.list()) if (server === 'db.query') await registry.call(name);
  expect(asked.toSorted()).toEqual(stillAsked.toSorted());
});
