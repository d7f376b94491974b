import { expect, test } from 'vitest';
import { startModernHttp } from '../../helpers/modern-http.js';
import { managerOf, textOf } from '../../helpers/servers.js';

const of = (properties: object) => ({ type: 'object', properties });
const named = (name: string) => ({ type: 'string', 'x-mcp-header': name });

test('drops only the tool with an invalid header declaration', async () => {
  await using server = await startModernHttp({
    tools: [
      { name: 'wrong', inputSchema: of({ region: named('My Region') }) },
      { name: 'right', inputSchema: of({ region: named('Region') }) },
    ],
  });
  await using manager = managerOf({ name: 'web', url: server.url });
  const web = manager.server('web');
  expect((await web.discoverTools()).map(({ name }) => name)).toEqual(['right']);
  expect(web.status.catalogProblems).toEqual([
    'the tool "wrong" was left out: "region" has "x-mcp-header" with "My Region", which cannot be part of a header\'s name',
  ]);
  expect(textOf(await web.callTool('right', { region: 'north' }))).toBe('done');
});
