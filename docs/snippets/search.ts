import assert from 'node:assert/strict';
import { createClientManager } from '@x/mcp-client-manager';
import { createRegistry, type SearchResult } from '@x/mcp-registry';
import type { SourceTool } from '@x/mcp-registry/sources';
import { listenToConsole } from './stage/console.js';
import { officialServer } from './stage/npx.js';
import { fencesOf } from './stage/page.js';
import { openProject } from './stage/project.js';

const folder = openProject({ 'README.md': 'Well met.' });
const heard = listenToConsole();
await using manager = createClientManager({
  servers: [{ name: 'filesystem', ...officialServer('filesystem', folder) }],
});
await using registry = createRegistry({
  roles: [{ role: 'review', allowedTools: ['filesystem.read_*', 'filesystem.list_*'] }],
});
await manager.start();
await registry.attach(manager.server('filesystem')).ready;

await ask();
registry.attach({
  name: 'github',
  listTools: issueTools,
  callTool: () => Promise.reject(new Error('not called here')),
});
await askByPattern();
await turnPages();
await askAsModel();

// #region constant
import { createConstantSurface } from '@x/mcp-registry';

const surface = createConstantSurface(registry.view({ role: 'review' }));
surface.list().map((tool) => tool.name); // ['call_mcp_tool', 'search_mcp_tools']

const result = await surface.call('call_mcp_tool', {
  name: 'mcp__filesystem__read_text_file',
  arguments: { path: 'README.md' },
}); // the very result of that tool
// #endregion constant

assert.deepEqual(
  surface.list().map((tool) => tool.name),
  ['call_mcp_tool', 'search_mcp_tools'],
);
assert.deepEqual(result.content, [{ type: 'text', text: 'Well met.' }]);

async function ask(): Promise<void> {
  // #region ask
  const found = await registry.search({ query: 'list a directory', limit: 1 });
  // #endregion ask
  const [shown = ''] = fencesOf('docs/search.md', 'json');
  assert.deepEqual(stable(found), stable(JSON.parse(shown)));
}

async function askByPattern(): Promise<void> {
  const byName = await registry.search({ query: '^(list|read)_', useRegex: true });
  assert.ok(byName.tools.length > 3 && byName.tools.every(({ tool }) => /^(list|read)_/.test(tool)));
  const byText = await registry.search({ query: '(?i)pull.?request', useRegex: true, server: 'github' });
  assert.deepEqual(
    byText.tools.map(({ tool }) => tool),
    ['open_pull_request'],
  );
  // #region pattern
  await registry.search({ query: '^(list|read)_', useRegex: true, detail: 'names' });
  await registry.search({ query: '(?i)pull.?request', useRegex: true, server: 'github' });
  // #endregion pattern
  await assert.rejects(registry.search({ query: 'a**', useRegex: true }), (error: Error) => {
    const { message, ...facts } = JSON.parse(fencesOf('docs/search.md', 'json')[1] ?? '').error;
    assert.ok(error.message.startsWith(message.slice(0, -1)));
    return Object.entries(facts).every(([name, value]) => Reflect.get(error, name) === value);
  });
}

async function turnPages(): Promise<void> {
  // #region pages
  let cursor: string | undefined;
  do {
    const page = await registry.search({ query: 'issue', limit: 50, ...(cursor && { cursor }) });
    for (const tool of page.tools) console.log(tool.name);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  // #endregion pages
  assert.equal(heard.lines.filter((line) => line.startsWith('mcp__github__')).length, 120);
}

async function askAsModel(): Promise<void> {
  // #region answer
  const answer = await registry.call('search_mcp_tools', { query: 'write text into a file', limit: 3 });
  // #endregion answer
  const [shown = ''] = fencesOf('docs/search.md', 'text');
  assert.deepEqual(answer.content, [{ type: 'text', text: shown.trimEnd() }]);
}

function issueTools(): SourceTool[] {
  const inputSchema = { type: 'object' };
  const many = Array.from({ length: 120 }, (_, index) => ({ name: `issue_${index}`, inputSchema }));
  return [...many, { name: 'open_pull_request', inputSchema }];
}

/** What does not change with every word that the server's authors change. */
function stable({ nextCursor, tools, ...answer }: SearchResult): unknown {
  const hits = tools.map(({ score, coverage, description, ...hit }) => ({
    ...hit,
    description: description?.slice(0, 40),
  }));
  return { ...answer, hits };
}
