import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkConfig, createRedactor, formatIssue, parseConfig } from '../../src/index.js';
import { expandTemplate } from '../../src/templates.js';

const pageOf = (name: string) => readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');

/** Code blocks of a page by language. */
function blocksOf(page: string, language: string): readonly string[] {
  return Array.from(page.matchAll(/^```(\w+)\n(.*?)^```$/gms)).flatMap(([, found, code = '']) =>
    found === language ? [code] : [],
  );
}

test('the page on templates shows real results', () => {
  const page = pageOf('templates.md');
  const [config = ''] = blocksOf(page, 'yaml');
  const places = { root: '/srv/app', 'runtime.python': '/srv/app/.venv/bin/python' };
  const variables = { HOME: '/home/ada', TICKETS_HOST: 'tickets.example.com', TICKETS_TOKEN: 'sesame' };
  expect(parseConfig({ text: config, places }, { variables }).servers).toMatchObject([
    { args: ['-y', '@modelcontextprotocol/server-filesystem', '/srv/app/docs', '/home/ada/notes'] },
    { command: '/srv/app/.venv/bin/python', args: ['/srv/app/tools/notes.py'] },
    { url: 'https://tickets.example.com/mcp', headers: { Authorization: 'Bearer sesame' } },
  ]);

  // biome-ignore lint/suspicious/noTemplateCurlyInString: the tests use such strings
  const text = 'mcp_servers:\n  tickets:\n    command: npx -y tickets --url ${TICKETS_HOST}\n';
  const { issues, redactor } = checkConfig({ text, file: 'mcp_servers.yaml' });
  expect(issues.map((issue) => `${formatIssue(issue, { text, redactor })}\n`)).toEqual(blocksOf(page, 'text'));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the tests use such strings
  expect(expandTemplate('{{root}}/a ${B:-c}', { B: '' }, { root: '/srv/app' }).text).toBe('/srv/app/a c');
});

test('the page on secrets has valid references and shows the redacted output', () => {
  const [config = ''] = blocksOf(pageOf('secrets.md'), 'yaml');
  expect(parseConfig({ text: config }).servers).toMatchObject([
    { secrets: [{ key: 'GITHUB_TOKEN', reference: 'keychain:github/ada' }] },
    { secrets: [{ key: 'X-Api-Key', reference: 'command:op read op://team/tickets/key' }] },
  ]);
  const redactor = createRedactor(['sesame-street']);
  expect(redactor.redact('Authorization: Bearer sesame-street')).toBe('Authorization: Bearer ***');
  expect(redactor.redactData({ env: { TOKEN: 'sesame-street' } })).toEqual({ env: { TOKEN: '***' } });
});
