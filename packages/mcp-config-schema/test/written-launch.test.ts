// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tests use such strings
import { expect, test } from 'vitest';
import { type CheckOptions, type ConfigInput, checkConfig } from '../src/index.js';

const launchesOf = (
  inputs: readonly ConfigInput[],
  variables: CheckOptions['variables'] = { KEY: 'hunter2', BIN: '/bin/x' },
) => Object.fromEntries(checkConfig(inputs, { variables }).launches);

const text = `
mcp_servers:
  git:
    command: "\${BIN} --token \${KEY}"
    cwd: work
    env: { PLAIN: "1", TOKEN: { secret_ref: "command:vault git" } }
    auto_start: true
  web:
    url: https://example.com/\${KEY}
    headers: { X-Key: { secret_ref: "env:KEY" } }
`;

const git = {
  layer: 'project',
  file: 'm.yaml',
  command: '${BIN} --token ${KEY}',
  words: ['${BIN}', '--token', '${KEY}'],
  cwd: 'work',
  env: { PLAIN: '1', TOKEN: { secret_ref: 'command:vault git' } },
  auto_start: true,
};

test('a launch is the whole entry as written, without values of variables', () => {
  const { git: first, web } = launchesOf([{ text, file: 'm.yaml', layer: 'project' }]);
  expect(first).toMatchObject(git);
  expect(web).toMatchObject({
    layer: 'project',
    file: 'm.yaml',
    words: [],
    url: 'https://example.com/${KEY}',
    headers: { 'X-Key': { secret_ref: 'env:KEY' } },
  });
});

test.each([
  ['command: [a, "b c"]', ['a', 'b c']],
  ['command: a, args: ["b c", "${KEY}"]', ['a', 'b c', '${KEY}']],
  ['command: [a], args: [b]', ['a', 'b']],
  ['command: "a \'b c\' {{ env.KEY }}/x"', ['a', 'b c', '{{ env.KEY }}/x']],
])('{ %s } has the words %j', (entry, words) => {
  expect(launchesOf([{ text: `mcp_servers: { git: { ${entry} } }` }]).git?.words).toEqual(words);
});

test('a launch does not change with the values of variables', () => {
  const before = launchesOf([{ text, file: 'm.yaml' }]);
  expect(launchesOf([{ text, file: 'm.yaml' }], { KEY: 'another', BIN: '/bin/y' })).toEqual(before);
});

test.each([
  ['the command', '--token', '--tokens'],
  ['the directory', 'cwd: work', 'cwd: play'],
  ['a variable', 'PLAIN: "1"', 'PLAIN: "2"'],
  ['a reference', 'vault git', 'vault evil'],
  ['the address', 'example.com', 'example.org'],
  ['a header', 'X-Key', 'X-Kee'],
  ['another field', 'auto_start: true', 'auto_start: false'],
])('a different %s is a different launch', (_, from, to) => {
  const before = launchesOf([{ text, file: 'm.yaml' }]);
  expect(launchesOf([{ text: text.replace(from, to), file: 'm.yaml' }])).not.toEqual(before);
});

test('the launch is that of the effective entry', () => {
  const user = { text: 'mcp_servers: { git: { command: user-git } }', file: 'u.yaml', layer: 'user' } as const;
  const project = {
    text: '{ "mcpServers": { "git": { "command": "x", "args": ["y"] } } }',
    file: '.mcp.json',
    layer: 'project',
  } as const;
  expect(launchesOf([project, user])).toMatchObject({
    git: { layer: 'project', file: '.mcp.json', command: 'x', args: ['y'], env: undefined },
  });
});
