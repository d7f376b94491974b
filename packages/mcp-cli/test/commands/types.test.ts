import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { project, serversFile } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';

afterEach(expectNoLeaks);

const servers = serversFile([
  { name: 'files', server: 'echo' },
  { name: 'shots', server: 'echo' },
]);
const tools = 'tools:\n  app:\n    role_restrictions:\n      review: { allowed_tools: [files.add, shots] }\n';

test('writes declarations of the tools that a role may use, the same each time, and starts no server', async () => {
  await using here = await project({ 'mcp_servers.yaml': servers, 'tools.yaml': tools });
  const options = { cwd: here.folder, stateDirectory: join(here.folder, 'state') };
  const unknown = await runMcpx(['types'], options);
  expect(unknown).toMatchObject({ exitCode: exitCodes.ok, stdout: expect.stringContaining('interface McpTools') });
  expect(unknown.stderr).toContain('Not included, because their tools are unknown: files, shots.');
  expect((await runMcpx(['discover', 'files'], options)).exitCode).toBe(exitCodes.ok);

  const { stdout, stderr } = await runMcpx(['types', '--role', 'review'], options);
  expect(stdout).toMatch(/mcp__files__add\(args\?: \{\s+a\?: number;\s+b\?: number;\s+\}\): Promise<unknown>;/);
  expect(stdout).not.toContain('mcp__files__echo');
  expect(stderr).toContain('Not included, because their tools are unknown: shots.');
  expect(stderr).not.toContain('ready');

  const written = await runMcpx(['types', '--role', 'review', '-o', 'tools.d.ts'], options);
  expect(written).toMatchObject({ exitCode: exitCodes.ok, stdout: '' });
  expect(written.stderr).toContain('2 tools in tools.d.ts');
  expect(await readFile(join(here.folder, 'tools.d.ts'), 'utf8')).toBe(stdout);
});

test('follows no link, and replaces a file with its permissions in one step', async () => {
  await using here = await project({ 'mcp_servers.yaml': servers });
  const options = { cwd: here.folder, stateDirectory: join(here.folder, 'state') };
  await writeFile(join(here.folder, 'precious'), 'kept');
  await symlink('precious', join(here.folder, 'tools.d.ts'));
  const refused = await runMcpx(['types', '-o', 'tools.d.ts'], options);
  expect(refused).toMatchObject({ exitCode: exitCodes.failed, stdout: '' });
  expect(refused.stderr).toContain('tools.d.ts is a symbolic link. Remove it, or name the file it leads to');
  expect(await readFile(join(here.folder, 'precious'), 'utf8')).toBe('kept');

  await chmod(join(here.folder, 'precious'), 0o640);
  const { ino } = await stat(join(here.folder, 'precious'));
  expect((await runMcpx(['types', '-o', 'precious'], options)).exitCode).toBe(exitCodes.ok);
  const replaced = await stat(join(here.folder, 'precious'));
  expect([replaced.mode & 0o777, replaced.ino === ino]).toEqual([0o640, false]);
  expect((await readdir(here.folder)).filter((name) => name.startsWith('precious'))).toEqual(['precious']);
});

test('reports a role that does not exist and a file that cannot be written', async () => {
  await using here = await project({ 'mcp_servers.yaml': servers, 'tools.yaml': tools });
  const options = { cwd: here.folder, stateDirectory: join(here.folder, 'state') };
  const role = await runMcpx(['types', '--role', 'reveiw'], options);
  expect(role).toMatchObject({ exitCode: exitCodes.usage, stderr: expect.stringContaining('Did you mean "review"?') });
  const file = await runMcpx(['types', '-o', 'missing/tools.d.ts'], options);
  expect(file).toMatchObject({ exitCode: exitCodes.failed, stdout: '' });
  expect(file.stderr).toContain('The declarations cannot be written: ENOENT');
});
