import assert from 'node:assert/strict';
import { parseConfig } from '@x/mcp-config-schema';
import type { ToolSource } from '@x/mcp-registry';
import type { AuditEvent } from '@x/mcp-registry/audit';
import { listenToConsole } from './stage/console.js';
import { commentsShown, fencesOf } from './stage/page.js';
import { openProject } from './stage/project.js';

const page = 'docs/role-restrictions.md';
const heard = listenToConsole();
const [rules = '', readOnlyRules = '', resourceRules = ''] = fencesOf(page, 'yaml');
openProject({
  'tools.yaml': rules,
  'mcp_servers.yaml': 'mcp_servers:\n  filesystem: { command: f }\n  git: { command: g }\n',
});
const filesystem = source('filesystem', { read_file: true, write_file: false, delete_file: false });
const git = source('git', { log: false, diff: true, diff_staged: true, commit: false });

// #region restrict
import { loadConfig } from '@x/mcp-config-schema/load';
import { createRegistry } from '@x/mcp-registry';

const config = await loadConfig();
const registry = createRegistry({ roles: config.roles });
for (const server of [filesystem, git]) registry.attach(server);

const reviewer = registry.view({ role: 'review' });
reviewer.list(); // what a reviewer may use
await reviewer.call('mcp__filesystem__write_file', { path: 'a', content: 'b' }).catch(console.error);
// RegistryError: There is no tool named "mcp__filesystem__write_file"; …
// #endregion restrict

assert.deepEqual(
  reviewer.list().map(({ name }) => name),
  ['mcp__filesystem__read_file', 'mcp__git__diff', 'mcp__git__diff_staged', 'search_mcp_tools'],
);
assert.match(heard.lines[0] ?? '', /^RegistryError: There is no tool named "mcp__filesystem__write_file"; /);

heard.lines.length = 0;

// #region explain
console.log((await registry.explain('review', 'filesystem.write_file')).message);
// The role "review" may not use "write_file" of server "filesystem": the rule at tools.yaml:5:7 (tool "claude-code") denies it with "filesystem.write_*".
console.log((await registry.explain('review', 'git.log')).message);
// The role "review" may not use "log" of server "git": the rule at tools.yaml:5:7 (tool "claude-code") requires readOnlyHint: true, and the tool does not say so of itself.
console.log((await registry.explain('implementation', 'git.log')).message);
// The role "implementation" may use "log" of server "git": the rule at tools.yaml:12:7 of the role "log-reader", which it inherits, (tool "claude-code") allows it with "git.log".
// #endregion explain

assert.deepEqual(heard.lines, commentsShown(page, 'console.log((await registry.explain'));

const signal = AbortSignal.timeout(1_000);
registry.update({ roles: [] });
assert.deepEqual(reviewer.list(), []);

// #region update
import { watchConfig } from '@x/mcp-config-schema/load';

for await (const { config, isCurrent } of watchConfig({ signal })) {
  if (isCurrent && config !== undefined) registry.update({ roles: config.roles });
}
// #endregion update

assert.equal(reviewer.list().length, 4);

{
  const events: AuditEvent[] = [];
  const registry = createRegistry({ roles: config.roles, audit: (event) => void events.push(event) });
  for (const server of [filesystem, git]) registry.attach(server);
  // #region people
  const alice = registry.view({ role: 'review', principal: 'alice@example.com' }); // in the audit log as both
  const bob = registry.view({ principal: 'bob@example.com' }); // the default role; nothing if there is none
  const gitReview = registry.view({ role: 'review', servers: ['git', 'web'] }); // of these servers, what the role may use
  // #endregion people
  assert.deepEqual(
    [alice, bob, gitReview].map((view) => view.list().map(({ tool }) => tool)),
    [
      ['read_file', 'diff', 'diff_staged', 'search_mcp_tools'],
      ['log', 'search_mcp_tools'],
      ['diff', 'diff_staged', 'search_mcp_tools'],
    ],
  );
  assert.deepEqual(
    events.map(({ role, principal }) => [role, principal]),
    [
      ['review', 'alice@example.com'],
      ['log-reader', 'bob@example.com'],
      ['review', undefined],
    ],
  );
}

{
  const registry = createRegistry({ roles: parseConfig({ text: readOnlyRules }).roles });
  for (const server of [filesystem, git]) registry.attach(server);
  assert.deepEqual(
    registry
      .view({ role: 'dry-run' })
      .list()
      .map(({ tool }) => tool),
    ['read_file', 'diff', 'diff_staged', 'search_mcp_tools'],
  );
}

{
  const registry = createRegistry({ roles: parseConfig({ text: resourceRules }).roles });
  heard.lines.length = 0;

  // #region parts
  const policy = registry.policy({ role: 'review' });
  console.log(policy({ kind: 'resource', server: 'filesystem', uri: 'file:///srv/docs/a.md' }).isAllowed); // true
  console.log(policy({ kind: 'resource', server: 'filesystem', uri: 'file:///srv/docs/../a.md' }).isAllowed); // false
  console.log(policy({ kind: 'prompt', server: 'git', prompt: 'review_diff' }).isAllowed); // true
  // #endregion parts
  assert.deepEqual(heard.lines, commentsShown(page, 'const policy'));
}

/** A server with these tools; `true` for those that say that they only read. */
function source(name: string, tools: Readonly<Record<string, boolean>>): ToolSource {
  const listed = Object.entries(tools).map(([tool, readOnlyHint]) => ({
    name: tool,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint },
  }));
  return { name, listTools: () => listed, callTool: async () => ({ content: [] }) };
}
