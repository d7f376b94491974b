import type { RoleSubject } from '@x/internal/views';
import { createListSource, tool } from '@x/test-servers';
import { expect, test } from 'vitest';
import { Catalog } from '../../src/catalog/catalog.js';
import type { ToolEntry } from '../../src/catalog/snapshot.js';
import { VisibleTools } from '../../src/views/visible-tools.js';

test('looking up a hidden tool takes the same time as an unknown name', async () => {
  const catalog = new Catalog();
  await catalog.attach(createListSource('git', [tool('log'), tool('push')])).ready;
  const asked: RoleSubject[] = [];
  const policy = (subject: RoleSubject) => {
    asked.push(subject);
    const isAllowed = 'tool' in subject && subject.tool === 'log';
    return isAllowed ? { isAllowed } : { isAllowed, reason: 'not-listed' as const };
  };
  const rankers = { rankers: [], report: () => undefined };
  const version = {};
  const lens = { policy, version: () => version, allowsPartsOf: () => true, shown: (entry: ToolEntry) => entry };
  const tools = new VisibleTools(
    { catalog, rankers, validatesArguments: true, instructionsOf: () => undefined, unlisted: () => undefined },
    lens,
  );
  expect(tools.current.tools.map(({ name }) => name)).toEqual(['mcp__git__log']);

  asked.length = 0;
  expect(tools.find('mcp__git__push')).toBeUndefined();
  expect(tools.find('mcp__git__nothing')).toBeUndefined();
  expect(asked).toEqual([]);
  // What may be seen is decided about again.
  expect(tools.find('mcp__git__log')?.view.tool).toBe('log');
  expect(asked).toMatchObject([{ tool: 'log' }]);
});
