import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { RoleRules, ToolSource } from '@x/mcp-registry';
import { listenToConsole } from './stage/console.js';
import { linesShown } from './stage/page.js';
import { openProject } from './stage/project.js';

openProject();
const heard = listenToConsole();
const text = { type: 'string' };
const files: ToolSource = {
  name: 'files',
  listTools: () => [
    { name: 'read_text', inputSchema: { type: 'object', properties: { path: text } } },
    { name: 'write_text', inputSchema: { type: 'object', properties: { path: text, text } } },
  ],
  callTool: async () => ({ content: [{ type: 'text', text: 'done' }] }),
};
const roles: RoleRules = [
  { role: 'review', allowedTools: ['files.read_*'], source: { file: 'tools.yaml', line: 5, column: 7 } },
];

// #region log
import { createRegistry } from '@x/mcp-registry';
import { createAuditLog } from '@x/mcp-registry/node';

await using log = createAuditLog({ path: 'log/mcp.jsonl' });
const registry = createRegistry({ roles, audit: log.record });
registry.attach(files); // a server of yours

const alice = registry.view({ role: 'review', principal: 'alice@example.com' });
await alice.call('mcp__files__read_text', { path: 'README.md' });
await alice.call('mcp__files__write_text', { path: 'README.md', text: '' }).catch(() => undefined);
// #endregion log

await log.flush();
assert.deepEqual(
  readFileSync('log/mcp.jsonl', 'utf8').trimEnd().split('\n').map(withoutClock),
  linesShown('docs/audit.md', 'json', '{').map(withoutClock),
);

{
  const registry = createRegistry({
    audit: () => {
      throw new Error('no room');
    },
  });

  // #region lost
  registry.events.on('audit-failed', ({ lost, cause }) => console.error(`${lost} audit events lost`, cause));
  // #endregion lost

  await registry.search({ query: 'read' });
  assert.match(heard.lines[0] ?? '', /^1 audit events lost Error: no room/);
  assert.deepEqual(
    (await registry.diagnostics()).map(({ code }) => code),
    ['audit-failed'],
  );
}

function withoutClock(line: string): unknown {
  const { time: _time, durationMs: _duration, ...event } = JSON.parse(line);
  return event;
}
