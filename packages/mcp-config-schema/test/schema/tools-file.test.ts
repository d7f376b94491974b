import { expect, test } from 'vitest';
import { checkConfig } from '../../src/index.js';
import { onlyIssue } from '../helpers/check-text.js';

const withTool = (fields: string) => checkConfig({ text: `tools:\n  claude-code:\n${fields}`, file: 'tools.yaml' });

test('a tool may have fields of its own program', () => {
  const fields = `    binary: claude
    timeout_seconds: 600
    platforms: { linux: /usr/bin/claude }
    capabilities: [edit]
    mcp_tools: { required: [git] }
`;
  const { issues, config } = withTool(fields);
  expect(issues).toEqual([]);
  expect(config?.tools).toMatchObject([{ name: 'claude-code', binary: 'claude', mcpTools: { required: ['git'] } }]);
});

test.each([
  ['mcp_tool', 'mcp_tools'],
  ['mcpTools', 'mcp_tools'],
  ['role_restriction', 'role_restrictions'],
  ['roles_restrictions', 'role_restrictions'],
  ['command_templates', 'command_template'],
])('%s is an error that names %s, because it would have no effect', (key, didYouMean) => {
  const check = withTool(`    ${key}: {}\n`);
  expect(check).toMatchObject({ config: undefined, partial: undefined });
  expect(onlyIssue(check)).toMatchObject({
    code: 'unknown-key',
    severity: 'error',
    message: `"${key}" is not a key of tools.claude-code`,
    hint: `did you mean "${didYouMean}"?`,
    line: 3,
    column: 5,
  });
});

test('a field that only resembles one that is there is another field', () => {
  expect(withTool('    models: [claude-3-opus]\n    model: claude-3-opus\n').issues).toEqual([]);
});

test('parts of a tool have no other fields', () => {
  expect(onlyIssue(withTool('    mcp_tools: { needed: [git] }\n'))).toMatchObject({ code: 'unknown-key' });
});
