import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkExtension, resolveExtension } from '../../src/extension.js';
import { currentPlace, syncHosts } from '../../src/hosts.js';
import { checkConfig, createRedactor, expandTemplate, formatIssue, parseConfig } from '../../src/index.js';
import { extensionFolder } from '../helpers/extension-folder.js';

const pageOf = (name: string) => readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');

/** The blocks of code in a page, by their language. */
function blocksOf(page: string, language: string): readonly string[] {
  return Array.from(page.matchAll(/^```(\w+)\n(.*?)^```$/gms)).flatMap(([, found, code = '']) =>
    found === language ? [code] : [],
  );
}

test.skipIf(process.platform === 'win32')('the page of extensions shows what really happens', async () => {
  const page = pageOf('extensions.md');
  const [manifest = ''] = blocksOf(page, 'toml');
  const [mcp = '', resolved = ''] = blocksOf(page, 'json');
  await using project = await extensionFolder({
    'extension/extension.toml': manifest,
    'extension/mcp.json': mcp,
    '.vaultspec/lib/scripts/subagent.py': '',
  });
  await project.write('extension/.venv/bin/python', '', 0o755);
  const { root, folder } = project;
  const shown = (text: string) =>
    text.replaceAll(folder, '/srv/app/extensions/vault-spec').replaceAll(root, '/srv/app');

  const { servers } = await resolveExtension(folder, { root });
  const { plan } = await syncHosts(servers, {
    hosts: ['claude-code-project', 'roo-project', 'junie-project', 'zed-project'],
    place: { ...currentPlace({ project: root }), home: join(root, 'home'), env: {} },
    owner: 'vault-spec',
    dryRun: true,
  });
  const lines = plan.steps.map(({ type, server, host, file }) => `${type} ${server} ${host} ${file}\n`);
  const [output, missing] = blocksOf(page, 'text');
  expect(shown(lines.join(''))).toBe(output);

  const [server] = servers;
  if (server?.transport !== 'stdio') throw new Error('expected a command');
  const { command, args, env } = server;
  expect(JSON.parse(shown(JSON.stringify({ command, args, env })))).toEqual(JSON.parse(resolved));

  await project.write('extension/extension.toml', 'provides.mcp = "mcp.jsn"\n');
  const { issues, texts } = await checkExtension(folder, { root });
  expect(issues.map((issue) => `${shown(formatIssue(issue, { text: texts.get(issue.file ?? '') }))}\n`)).toEqual([
    missing,
  ]);
});

test('the page of templates shows what really happens', () => {
  const page = pageOf('templates.md');
  const [config = ''] = blocksOf(page, 'yaml');
  const places = { root: '/srv/app', 'runtime.python': '/srv/app/.venv/bin/python' };
  const variables = { HOME: '/home/ada', TICKETS_HOST: 'tickets.example.com', TICKETS_TOKEN: 'sesame' };
  expect(parseConfig({ text: config, places }, { variables }).servers).toMatchObject([
    { args: ['-y', '@modelcontextprotocol/server-filesystem', '/srv/app/docs', '/home/ada/notes'] },
    { command: '/srv/app/.venv/bin/python', args: ['/srv/app/tools/notes.py'] },
    { url: 'https://tickets.example.com/mcp', headers: { Authorization: 'Bearer sesame' } },
  ]);

  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what is tested
  const text = 'mcp_servers:\n  tickets:\n    command: npx -y tickets --url ${TICKETS_HOST}\n';
  const { issues, redactor } = checkConfig({ text, file: 'mcp_servers.yaml' });
  expect(issues.map((issue) => `${formatIssue(issue, { text, redactor })}\n`)).toEqual(blocksOf(page, 'text'));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what is tested
  expect(expandTemplate('{{root}}/a ${B:-c}', { B: '' }, { root: '/srv/app' }).text).toBe('/srv/app/a c');
});

test('the page of secrets has references that are read, and shows what is hidden', () => {
  const [config = ''] = blocksOf(pageOf('secrets.md'), 'yaml');
  expect(parseConfig({ text: config }).servers).toMatchObject([
    { secrets: [{ key: 'GITHUB_TOKEN', reference: 'keychain:github/ada' }] },
    { secrets: [{ key: 'X-Api-Key', reference: 'command:op read op://team/tickets/key' }] },
  ]);
  const redactor = createRedactor(['sesame-street']);
  expect(redactor.redact('Authorization: Bearer sesame-street')).toBe('Authorization: Bearer ***');
  expect(redactor.redactData({ env: { TOKEN: 'sesame-street' } })).toEqual({ env: { TOKEN: '***' } });
});
