import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createRegistry, type RoleRules, type ToolSource } from '@x/mcp-registry';
import { listenToConsole } from './stage/console.js';
import { openProject } from './stage/project.js';

openProject();
const heard = listenToConsole();
const roles: RoleRules = [{ role: 'review', allowedTools: ['add', 'files.*'] }];
const registry = createRegistry({ roles });
registry.register({ name: 'add', description: 'Adds two numbers' }, ({ a, b }) => ({ sum: Number(a) + Number(b) }));
const toolUse = { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1, b: 2 } };

// #region formats
import { anthropic } from '@x/mcp-registry/formats';

const { tools, run } = anthropic(registry); // or OpenAI, Gemini, AI SDK, OpenAI Agents, LangChain
const answer = await run(toolUse);
// #endregion formats

assert.deepEqual(
  tools.map(({ name }) => name),
  ['add', 'search_mcp_tools'],
);
assert.deepEqual(answer.content, [{ type: 'text', text: '{"sum":3}' }]);

const files = source('files', 'Reads a file');

// #region audit
import { createAuditLog } from '@x/mcp-registry/node';

await using log = createAuditLog({ path: 'audit.jsonl' });
const audited = createRegistry({ roles, audit: log.record });
audited.attach(files);
await audited.view({ role: 'review', principal: 'alice' }).call('mcp__files__read_text', { path: 'README.md' });
// #endregion audit

await log.flush();
const events = readFileSync('audit.jsonl', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));
assert.deepEqual(
  events.map(({ principal, action, outcome }) => ({ principal, action, outcome })),
  ['started', 'ok'].map((outcome) => ({ principal: 'alice', action: 'call', outcome })),
);

const pinFile = resolve('pins.json');
{
  const yesterday = createRegistry({ trust: 'pin-on-first-use', pinStore: createPinFile({ path: pinFile }) });
  await yesterday.attach(source('files', 'Reads a file')).ready;
  await yesterday.close();
}
const changed = source('files', 'Reads a file, and tells nobody');

// #region pins
import { createPinFile } from '@x/mcp-registry/node';

const guarded = createRegistry({ trust: 'pin-on-first-use', pinStore: createPinFile({ path: pinFile }) });
await guarded.attach(changed).ready;

const waiting = await guarded.pins.list({ trust: 'changed' }); // with digests, and findings such as hidden text
for (const tool of waiting) console.log(await guarded.pins.diff(tool));
await guarded.pins.approve(waiting); // refused if a tool is not any more what was read
// #endregion pins

assert.ok(heard.lines.includes('+Reads a file, and tells nobody'), heard.lines.join('\n'));
assert.equal(guarded.list()[0]?.name, 'mcp__files__read_text');

function source(name: string, description: string): ToolSource {
  return {
    name,
    listTools: () => [{ name: 'read_text', description, inputSchema: { type: 'object' } }],
    callTool: async () => ({ content: [{ type: 'text', text: 'done' }] }),
  };
}
