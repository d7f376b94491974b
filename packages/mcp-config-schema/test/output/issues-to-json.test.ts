import { expect, test } from 'vitest';
import { checkConfig } from '../../src/index.js';
import { issuesToJson } from '../../src/report.js';
import { issueExamples } from '../helpers/issue-examples.js';

test('a report counts issues, and gives each its path as text and its page', () => {
  const text = 'mcp_servers:\n  a b: { comand: x, headers: {} }\n  c: { command: x, headers: {} }\n';
  expect(issuesToJson(checkConfig({ file: 'm.yaml', text }).issues)).toEqual({
    ok: false,
    errors: 1,
    warnings: 1,
    issues: [
      {
        code: 'unknown-key',
        severity: 'error',
        message: '"comand" is not a key of mcp_servers["a b"]',
        key: 'comand',
        didYouMean: 'command',
        hint: 'did you mean "command"?',
        file: 'm.yaml',
        line: 2,
        column: 10,
        path: ['mcp_servers', 'a b', 'comand'],
        pathText: 'mcp_servers["a b"].comand',
        help: 'https://github.com/x/mcp-plumbing/blob/main/docs/errors/unknown-key.md',
      },
      {
        code: 'ignored-key',
        severity: 'warning',
        message: '"headers" has no effect here: a server with a command has no requests to send them with',
        file: 'm.yaml',
        line: 3,
        column: 20,
        path: ['mcp_servers', 'c', 'headers'],
        pathText: 'mcp_servers.c.headers',
        help: 'https://github.com/x/mcp-plumbing/blob/main/docs/errors/ignored-key.md',
      },
    ],
  });
});

test('no issues are a good result', () => {
  expect(issuesToJson([])).toEqual({ ok: true, errors: 0, warnings: 0, issues: [] });
});

test('a report of any issue survives JSON', () => {
  for (const { inputs, options } of Object.values(issueExamples)) {
    const report = issuesToJson(checkConfig(inputs, options).issues);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  }
});
