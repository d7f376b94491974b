import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { type UserWorld, userWorld } from '../helpers/user-world.js';

const text = 'mcp_servers:\n  a: { command: a-mcp }\n';

/** An editor that runs a script on the file. */
async function editor(user: UserWorld, script: string): Promise<string> {
  const file = join(user.home, 'editor.mjs');
  await writeFile(
    file,
    `import { readFileSync, writeFileSync } from 'node:fs';\nconst file = process.argv.at(-1);\n${script}`,
  );
  return `"${process.execPath}" "${file}" --wait`;
}

const replace = (from: string, to: string) =>
  `writeFileSync(file, readFileSync(file, 'utf8').replace(${JSON.stringify(from)}, ${JSON.stringify(to)}));`;

test('writes what the editor has changed', async () => {
  await using user = await userWorld({ 'project/mcp_servers.yaml': text });
  const EDITOR = await editor(user, replace('a-mcp', 'b-mcp'));
  const { exitCode, stdout } = await user.run(['edit', 'a'], { env: { EDITOR } });
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '✓ Changed mcp_servers.yaml.\n' });
  expect(await user.read('project/mcp_servers.yaml')).toBe(text.replace('a-mcp', 'b-mcp'));
});

test('without a terminal an invalid text is refused with its position', async () => {
  await using user = await userWorld({ 'project/mcp_servers.yaml': text });
  const VISUAL = await editor(user, replace('command', 'comand'));
  const { exitCode, stderr } = await user.run(['edit'], { env: { VISUAL } });
  expect(exitCode).toBe(exitCodes.config);
  expect(stderr).toContain('mcp_servers.yaml:2:8 error unknown-key');
  expect(await user.read('project/mcp_servers.yaml')).toBe(text);
});

test('an edit of another program meanwhile is kept, and so is the text', async () => {
  await using user = await userWorld({ 'project/mcp_servers.yaml': text });
  const path = join(user.project, 'mcp_servers.yaml');
  const EDITOR = await editor(user, `${replace('a-mcp', 'b-mcp')} writeFileSync(${JSON.stringify(path)}, '# theirs');`);
  const { exitCode, stderr } = await user.run(['edit'], { env: { EDITOR } });
  expect(exitCode).toBe(exitCodes.failed);
  const [, kept = ''] =
    /^Your text is kept in (\S+mcp_servers\.yaml)\nerror: Another program changed /.exec(stderr) ?? [];
  expect(await readFile(kept, 'utf8')).toBe(text.replace('a-mcp', 'b-mcp'));
  await rm(dirname(kept), { recursive: true });
  expect(await user.read('project/mcp_servers.yaml')).toBe('# theirs');
});

test.each([
  ['fails', 'process.exit(3)', exitCodes.failed, 'ended with 3. Nothing was written.'],
  ['changes nothing', '', exitCodes.ok, 'Nothing to change.\n'],
])('an editor that %s leaves the file', async (_case, script, exitCode, message) => {
  await using user = await userWorld({ 'project/mcp_servers.yaml': text });
  const outcome = await user.run(['edit'], { env: { EDITOR: await editor(user, script) } });
  expect(outcome.exitCode).toBe(exitCode);
  expect(outcome.stderr).toContain(message);
});

test('needs an editor and a config', async () => {
  await using user = await userWorld();
  expect((await user.run(['edit'])).stderr).toContain('There is no config file to edit');
  await user.write('project/mcp_servers.yaml', text);
  expect(await user.run(['edit'])).toMatchObject({ exitCode: exitCodes.usage });
});

describe('the consent of a project whose file is edited', () => {
  const servers = (...lines: string[]) => `mcp_servers:\n${lines.map((line) => `  ${line}\n`).join('')}`;
  const untrusting = { MCPX_TRUST: '' };

  async function waitingIn(user: UserWorld): Promise<readonly string[]> {
    const { stdout } = await user.run(['status', '--json'], { env: untrusting });
    const rows: readonly { readonly name: string; readonly waitsForConsent?: true }[] = JSON.parse(stdout).servers;
    return rows.filter(({ waitsForConsent }) => waitsForConsent).map(({ name }) => name);
  }

  async function edited(user: UserWorld, script: string): Promise<string> {
    const EDITOR = await editor(user, script);
    const { exitCode, stderr } = await user.run(['edit'], { env: { EDITOR, ...untrusting } });
    expect(exitCode).toBe(exitCodes.ok);
    return stderr;
  }

  test('stays with an entry that the user changes, and comes with one that the user writes', async () => {
    await using user = await userWorld({ 'project/mcp_servers.yaml': servers('a: { command: a-mcp }') });
    await user.run(['trust', 'add', '--yes'], { env: untrusting });
    const stderr = await edited(
      user,
      `${replace('a-mcp', 'b-mcp')} ${replace('mcp_servers:\n', servers('new: { command: new-mcp }'))}`,
    );
    expect(stderr).toBe('Your edit is your consent to what it starts: new, a.\n');
    expect(await waitingIn(user)).toEqual([]);
    expect(await edited(user, replace('{ command: b-mcp }', '{ command: b-mcp, auto_start: true }'))).toBe('');
  });

  test('is not given to an entry that waited for it, also if the user changes it', async () => {
    const text = servers('a: { command: a-mcp }', 'b: { command: b-mcp }');
    await using user = await userWorld({ 'project/mcp_servers.yaml': text });
    expect(await edited(user, replace('a-mcp', 'other-mcp'))).toBe('');
    expect(await waitingIn(user)).toEqual(['a', 'b']);
  });

  test('is not given to an entry of another file that the edit uncovers', async () => {
    await using user = await userWorld({
      'project/mcp_servers.yaml': servers('a: { command: a-mcp }', 'b: { command: b-mcp }'),
      'project/.mcp.json': JSON.stringify({ mcpServers: { a: { command: 'hidden-mcp' } } }),
    });
    await user.run(['trust', 'add', '--yes'], { env: untrusting });
    expect(await edited(user, replace('  a: { command: a-mcp }\n', ''))).toBe('');
  });

  test('is not given to what another program writes at the same time', async () => {
    await using user = await userWorld({ 'project/mcp_servers.yaml': servers('a: { command: a-mcp }') });
    await user.run(['trust', 'add', '--yes'], { env: untrusting });
    const path = join(user.project, 'mcp_servers.yaml');
    const theirs = servers('a: { command: their-mcp }');
    const EDITOR = await editor(
      user,
      `${replace('a-mcp', 'b-mcp')} writeFileSync(${JSON.stringify(path)}, ${JSON.stringify(theirs)});`,
    );
    const { exitCode, stderr } = await user.run(['edit'], { env: { EDITOR, ...untrusting } });
    expect(exitCode).toBe(exitCodes.failed);
    await rm(dirname(/kept in (\S+)\n/.exec(stderr)?.[1] ?? ''), { recursive: true });
    expect(await waitingIn(user)).toEqual(['a']);
  });
});
