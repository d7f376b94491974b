import { readFileSync } from 'node:fs';
import { chmod, chown, lchown, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatIssue } from '../../src/index.js';
import { isPlanted } from '../../src/load/planted.js';
import { refusalOf } from '../../src/load/read-files.js';
import { checkFiles, loadConfig } from '../../src/load.js';
import { configFolder } from '../helpers/config-folder.js';

const config = 'mcp_servers: { a: { command: x } }\n';
const pageOf = (code: string) => readFileSync(new URL(`../../../../docs/errors/${code}.md`, import.meta.url), 'utf8');

describe('another user may have planted a file', () => {
  const [me, stranger, root] = [1_000, 2_000, 0];

  test.each([
    ['a stranger owns it, and everybody may write there', [stranger], [0o1777], true],
    ['a stranger owns the link to it', [me, stranger], [0o777], true],
    ['everybody may write above the folder that it lies in', [stranger], [0o755, 0o777], true],
    ['a stranger owns it, and nobody else may write there', [stranger], [0o755], false],
    ['its group may write there', [stranger], [0o775], false],
    ['it is mine', [me], [0o1777], false],
    ['root owns it', [root], [0o1777], false],
  ])('%s', (_what, owners, directoryModes, planted) => {
    expect(isPlanted({ owners, directoryModes }, me)).toBe(planted);
  });
});

test.skipIf(process.platform === 'win32')('a file that has disappeared cannot be judged', async () => {
  await using folder = await configFolder({ 'tools.yaml': '' });
  const path = join(folder.path, 'mcp_servers.yaml');
  await expect(refusalOf({ path, layer: 'project', foundIn: folder.path }, 0, path)).rejects.toMatchObject({
    code: 'unreadable',
    message: `${path} cannot be examined: ENOENT`,
  });
});

const isRoot = process.getuid?.() === 0;

describe.runIf(isRoot)('a file of another user in a world-writable directory', () => {
  async function planted(file = 'mcp_servers.yaml') {
    const folder = await configFolder({ [file]: config, 'below/x': '' });
    await chmod(folder.path, 0o1777);
    await chown(join(folder.path, file), 65_534, 65_534);
    return folder;
  }

  test.each(['mcp_servers.yaml', 'config/mcp_servers.yaml'])('is not read: %s', async (file) => {
    await using folder = await planted(file);
    const { issues, config: loaded, partial, texts } = await checkFiles({ cwd: join(folder.path, 'below') });
    expect(issues).toMatchObject([
      { code: 'untrusted-file', severity: 'error', file: join(folder.path, file), line: 1 },
    ]);
    expect([loaded, partial, texts.size]).toEqual([undefined, undefined, 0]);
    await expect(loadConfig({ cwd: folder.path })).rejects.toMatchObject({ code: 'invalid-config' });
  });

  test('is on its page as printed', async () => {
    await using folder = await planted();
    const { issues } = await checkFiles({ cwd: join(folder.path, 'below') });
    const printed = issues.map((issue) => formatIssue(issue).replaceAll(folder.path, '/tmp'));
    expect(pageOf('untrusted-file')).toContain(`\`\`\`text\n${printed.join('\n')}\n\`\`\``);
  });

  test('is read if named explicitly', async () => {
    await using folder = await planted();
    expect((await loadConfig({ files: [join(folder.path, 'mcp_servers.yaml')] })).servers).toHaveLength(1);
    expect((await loadConfig({ files: [folder.path] })).servers).toHaveLength(1);
  });

  test('makes the tools next to it ineffective', async () => {
    await using folder = await configFolder({ 'mcp_servers.yaml': config, 'tools.yaml': 'tools: {}\n' });
    await chmod(folder.path, 0o777);
    await chown(join(folder.path, 'tools.yaml'), 65_534, 65_534);
    expect((await checkFiles({ cwd: folder.path })).issues).toMatchObject([
      { code: 'untrusted-file', file: 'tools.yaml' },
    ]);
  });

  test('is not hidden by a link to a trusted file', async () => {
    await using folder = await configFolder({ 'elsewhere.yaml': config });
    await chmod(folder.path, 0o777);
    await symlink('elsewhere.yaml', join(folder.path, 'mcp_servers.yaml'));
    await lchown(join(folder.path, 'mcp_servers.yaml'), 65_534, 65_534);
    expect((await checkFiles({ cwd: folder.path })).issues).toMatchObject([{ code: 'untrusted-file' }]);
  });
});

describe.skipIf(process.platform === 'win32')('a file with a secret that other users can read', () => {
  const text =
    'mcp_servers:\n  git:\n    command: npx -y git-server\n    env:\n      GIT_TOKEN: correct-horse-battery\n';

  test('is a warning, on its page as printed', async () => {
    await using folder = await configFolder({ 'mcp_servers.yaml': text });
    await chmod(join(folder.path, 'mcp_servers.yaml'), 0o644);
    const { issues, config: loaded } = await checkFiles({ cwd: folder.path });
    expect(issues.map(({ code, severity }) => [code, severity])).toEqual([
      ['inline-secret', 'warning'],
      ['readable-secret', 'warning'],
    ]);
    expect(loaded?.servers).toHaveLength(1);
    const printed = issues.slice(1).map((issue) => formatIssue(issue, { text }));
    expect(pageOf('readable-secret')).toContain(`\`\`\`text\n${printed.join('\n')}\n\`\`\``);
  });

  test.each([
    ['only its owner can read it', text, 0o600],
    ['it holds no secret', config, 0o644],
  ])('is not if %s', async (_what, content, mode) => {
    await using folder = await configFolder({ 'mcp_servers.yaml': content });
    await chmod(join(folder.path, 'mcp_servers.yaml'), mode);
    expect((await checkFiles({ cwd: folder.path })).issues.map(({ code }) => code)).not.toContain('readable-secret');
  });
});
