import assert from 'node:assert/strict';
import { listenToConsole } from './stage/console.js';
import { commentsShown, fencesOf } from './stage/page.js';
import { openProject } from './stage/project.js';

const page = 'docs/role-filter.md';
const heard = listenToConsole();
const [rolesFile = ''] = fencesOf(page, 'yaml');
openProject({ 'config/tools.yaml': rolesFile });

// #region filter
import { compileRole } from '@x/mcp-registry/roles';

const rules = [{ role: 'review', allowedTools: ['filesystem.read_*', 'git.log', 'grep'] }];
const mayUse = compileRole(rules, 'review');

const tools = [
  { server: 'filesystem', tool: 'read_text_file' },
  { server: 'filesystem', tool: 'write_file' },
  { server: 'git', tool: 'log' },
  { server: undefined, tool: 'grep' }, // a tool of the app itself
];
console.log(tools.filter((tool) => mayUse(tool).isAllowed).map(({ tool }) => tool)); // [ 'read_text_file', 'log', 'grep' ]
// #endregion filter

assert.deepEqual(heard.lines, commentsShown(page, 'import { compileRole }').slice(1));
heard.lines.length = 0;

// #region file
import { readFile } from 'node:fs/promises';
import { parseConfig } from '@x/mcp-config-schema';

const file = 'config/tools.yaml';
const config = parseConfig({ file, text: await readFile(file, 'utf8') });
const mayImplement = compileRole(config.roles, 'implementation');
console.log(mayImplement({ server: 'git', tool: 'commit' }).isAllowed); // true
// #endregion file

assert.deepEqual(heard.lines, ['true']);
heard.lines.length = 0;

// #region reason
const decision = mayImplement({ server: 'git', tool: 'push' });
if (!decision.isAllowed) console.log(decision.reason, decision.rule?.source?.line); // not-listed 4
// #endregion reason

assert.deepEqual(heard.lines, commentsShown(page, 'const decision'));

// #region names
const mayQuery = compileRole([{ role: 'analyst', allowedTools: ['my.db.query'] }], 'analyst', ['my', 'my.db']);
// #endregion names

assert.deepEqual(
  [
    { server: 'my.db', tool: 'query' },
    { server: 'my', tool: 'db.query' },
  ].map((tool) => mayQuery(tool).isAllowed),
  [true, false],
);

// #region annotations
const readOnly = [{ role: 'review', allowedTools: ['filesystem'], requiredAnnotations: { readOnlyHint: true } }];
const mayRead = compileRole(readOnly, 'review');
mayRead({ server: 'filesystem', tool: 'read_text_file', annotations: { readOnlyHint: true } }).isAllowed; // true
// #endregion annotations

assert.equal(
  mayRead({ server: 'filesystem', tool: 'read_text_file', annotations: { readOnlyHint: true } }).isAllowed,
  true,
);
assert.equal(mayRead({ server: 'filesystem', tool: 'read_text_file' }).isAllowed, false);
