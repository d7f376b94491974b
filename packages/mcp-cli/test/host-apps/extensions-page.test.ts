import { readFileSync } from 'node:fs';
import { chmod, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatIssue } from '@x/mcp-config-schema';
import { checkExtension, resolveExtension } from '@x/mcp-config-schema/extension';
import { currentPlace, syncHosts } from '@x/mcp-host-sync';
import { expect, test } from 'vitest';
import { project } from '../helpers/project.js';

/** The blocks of code in a page, by their language. */
function blocksOf(page: string, language: string): readonly string[] {
  return Array.from(page.matchAll(/^```(\w+)\n(.*?)^```$/gms)).flatMap(([, found, code = '']) =>
    found === language ? [code] : [],
  );
}

test.skipIf(process.platform === 'win32')('the page of extensions shows what really happens', async () => {
  const page = readFileSync(new URL('../../../../docs/extensions.md', import.meta.url), 'utf8');
  const [manifest = ''] = blocksOf(page, 'toml');
  const [mcp = '', resolved = ''] = blocksOf(page, 'json');
  await using stage = await project({
    'extension/extension.toml': manifest,
    'extension/mcp.json': mcp,
    '.vaultspec/lib/scripts/subagent.py': '',
    'extension/.venv/bin/python': '',
  });
  const root = await realpath(stage.folder);
  const folder = join(root, 'extension');
  await chmod(join(folder, '.venv/bin/python'), 0o755);
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

  await writeFile(join(folder, 'extension.toml'), 'provides.mcp = "mcp.jsn"\n');
  const { issues, texts } = await checkExtension(folder, { root });
  expect(issues.map((issue) => `${shown(formatIssue(issue, { text: texts.get(issue.file ?? '') }))}\n`)).toEqual([
    missing,
  ]);
});
