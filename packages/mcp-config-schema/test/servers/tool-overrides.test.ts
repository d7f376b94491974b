import { expect, test } from 'vitest';
import { checkConfig, parseConfig } from '../../src/parse-config.js';

const file = (tools: string) => `mcp_servers:
  git: { command: git-mcp }
  web:
    command: web-mcp
    tools:
${tools}`;

test('what is shown of tools is part of a server, by the tools’ own names', () => {
  const text = file(`      search: { title: Wiki, description: Looks things up }
      web.fetch: { hidden: true }
`);
  const [git, web] = parseConfig({ text }).servers;
  expect(git).not.toHaveProperty('tools');
  expect(web?.tools).toEqual({ search: { title: 'Wiki', description: 'Looks things up' }, fetch: { hidden: true } });
});

test.each([
  [
    '      search: { descripton: x }\n',
    '6:17',
    /"descripton" is not a key of .*tools\.search/,
    'did you mean "description"?',
  ],
  ['      search: { hidden: yes }\n', '6:25', /must be true or false/, 'in YAML 1.2 yes, no, on and off are text'],
  ['      search: Looks things up\n', '6:15', /must be a mapping with title, description or hidden, got text/, ''],
  ['      - search\n', '6:7', /must be a mapping of tool names to what is shown of them, got a list/, ''],
  ['      search: { description: "" }\n', '6:30', /must be text that is not empty/, ''],
])('%j is an issue at its place', (tools, place, message, hint) => {
  const [issue, ...others] = checkConfig({ text: file(tools) }).issues;
  expect(others).toEqual([]);
  expect(issue).toMatchObject({ severity: 'error', message: expect.stringMatching(message) });
  expect(`${issue?.line}:${issue?.column}`).toBe(place);
  expect(issue?.hint ?? '').toContain(hint);
});

test.each([
  ['log', 'web.log'],
  ['web.log', 'log'],
  ['web/log', 'mcp__web__log'],
])('%s and %s are one tool, whose second override is an error at its place', (one, other) => {
  const text = file(`      ${one}: { hidden: true }\n      ${other}: { title: Log }\n`);
  expect(checkConfig({ text }).issues).toMatchObject([
    {
      code: 'duplicate-key',
      severity: 'error',
      message: `"${other}" is the tool that is already set as "${one}" on line 6`,
      path: ['mcp_servers', 'web', 'tools', other],
      key: other,
      line: 7,
      column: 7,
      first: { line: 6, column: 7 },
    },
  ]);
});

test('a tool of another server is a warning', () => {
  const { issues } = checkConfig({ text: file('      git.log: { hidden: true }\n') });
  expect(issues).toMatchObject([{ code: 'foreign-tool', server: 'git', tool: 'git.log', line: 6, column: 7 }]);
});
