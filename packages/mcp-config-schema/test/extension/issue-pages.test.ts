// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tests use such strings
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkExtension } from '../../src/extension.js';
import { checkConfig, formatIssue, parseConfig } from '../../src/index.js';
import { checkSecrets } from '../../src/secrets.js';
import { extensionFolder } from '../helpers/extension-folder.js';

const pageOf = (name: string) => readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), 'utf8');

/** Folder of the extension on the pages. */
const shownFolder = '/srv/app/extensions/vault-spec';

const manifest = (path: string) => `provides.mcp = "${path}"\n`;
const mcp = (command: string) => `{
  "mcpServers": {
    "vs-subagent-mcp": { "command": "${command}", "args": ["serve.py"] }
  }
}
`;

const mended = { 'extension.toml': manifest('mcp.json'), 'mcp.json': mcp('node') };

/** A minimal extension with each issue, and its corrected form. */
const examples = {
  'no-virtual-environment': { faulty: { ...mended, 'mcp.json': mcp('python') }, fixed: mended },
  'outside-extension': { faulty: { 'extension.toml': manifest('../mcp.json') }, fixed: mended },
  'missing-file': { faulty: { 'extension.toml': manifest('mcp.jsn') }, fixed: mended },
};

/** Issues of an extension, as printed for one in `shownFolder`. */
async function printed(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const entries = Object.entries(files).map(([path, text]) => [`extension/${path}`, text]);
  await using project = await extensionFolder(Object.fromEntries(entries));
  const { issues, texts } = await checkExtension(project.folder, { root: project.root });
  return issues.map((issue) =>
    formatIssue(issue, { text: texts.get(issue.file ?? '') }).replaceAll(project.folder, shownFolder),
  );
}

describe.skipIf(process.platform === 'win32').each(Object.entries(examples))('%s', (code, { faulty, fixed }) => {
  test('is on its page as printed', async () => {
    const [issue, ...others] = await printed(faulty);
    expect(others).toEqual([]);
    expect(issue).toContain(` ${code} `);
    expect(pageOf(`errors/${code}`)).toContain(`# ${code}\n`);
    expect(pageOf(`errors/${code}`)).toContain(`\`\`\`text\n${issue}\n\`\`\``);
  });

  test('disappears in the corrected example', async () => {
    expect(await printed(fixed)).toEqual([]);
  });
});

test('unresolved-secret is on its page as printed', async () => {
  const text = `mcp_servers:
  git:
    command: npx -y git-server
    env:
      TOKEN: { secret_ref: "env:GIT_TOKEN" }
`;
  const { servers } = parseConfig({ file: 'mcp_servers.yaml', text });
  const { issues } = await checkSecrets(servers, { env: {} });
  const [issue] = issues;
  if (issue === undefined) throw new Error('expected an issue');
  expect(pageOf('errors/unresolved-secret')).toContain(`\`\`\`text\n${formatIssue(issue, { text })}\n\`\`\``);
  expect((await checkSecrets(servers, { env: { GIT_TOKEN: 'sesame' } })).issues).toEqual([]);
});

test('unknown-template is on its page as printed', () => {
  const text = 'mcp_servers:\n  files:\n    command: npx -y files-server {{rot}}\n';
  const [issue] = checkConfig({ file: 'mcp_servers.yaml', text }).issues;
  if (issue === undefined) throw new Error('expected an issue');
  expect(pageOf('errors/unknown-template')).toContain(`\`\`\`text\n${formatIssue(issue, { text })}\n\`\`\``);
});
