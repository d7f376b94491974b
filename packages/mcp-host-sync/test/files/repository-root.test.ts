import { symlink } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { expect, test } from 'vitest';
import { readHost, syncHosts } from '../../src/index.js';
import { type TemporaryMachine, temporaryMachine, textOf } from '../helpers/temporary-machine.js';

type Files = (root: string) => Readonly<Record<string, string>>;

const repository: Files = () => ({ 'repo/.git/HEAD': 'ref: refs/heads/main\n', 'repo/packages/app/a.txt': '' });

/** As `git worktree add ../tree` writes them. */
const worktree: Files = (root) => ({
  ...repository(root),
  'repo/.git/worktrees/tree/commondir': '../..\n',
  'repo/.git/worktrees/tree/gitdir': `${join(root, 'tree/.git')}\n`,
  'tree/.git': `gitdir: ${join(root, 'repo/.git/worktrees/tree')}\n`,
  'tree/packages/app/a.txt': '',
});

const submodule: Files = (root) => ({
  ...repository(root),
  'repo/.git/modules/vendor/lib/HEAD': 'ref: refs/heads/main\n',
  'repo/vendor/lib/.git': 'gitdir: ../../.git/modules/vendor/lib\n',
  'repo/vendor/lib/src/a.txt': '',
});

const bareWithWorktree: Files = (root) => ({
  'all/.bare/worktrees/main/commondir': '../..\n',
  'all/.bare/worktrees/main/gitdir': `${join(root, 'all/main/.git')}\n`,
  'all/main/.git': `gitdir: ${join(root, 'all/.bare/worktrees/main')}\n`,
});

// The keys are those of `claude mcp add --scope local` 2.1.332 in each folder.
const cases: readonly (readonly [string, Files, string, string])[] = [
  ['the root of a repository', repository, 'repo', 'repo'],
  ['a subfolder of a repository', repository, 'repo/packages/app', 'repo'],
  ['a folder without a repository', () => ({ 'plain/sub/a.txt': '' }), 'plain/sub', 'plain/sub'],
  ['a folder of a repository that does not exist yet', repository, 'repo/none', 'repo'],
  ['a worktree', worktree, 'tree', 'repo'],
  ['a subfolder of a worktree', worktree, 'tree/packages/app', 'repo'],
  ['a worktree of a bare repository', bareWithWorktree, 'all/main', 'all/.bare'],
  ['a submodule', submodule, 'repo/vendor/lib/src', 'repo/vendor/lib'],
  ['a repository in a repository', (root) => ({ ...repository(root), 'repo/in/.git/HEAD': '' }), 'repo/in', 'repo/in'],
  ['a repository with its data elsewhere', (root) => ({ 'a/.git': `gitdir: ${join(root, 'data')}\n` }), 'a', 'a'],
  ['a .git file without meaning', () => ({ 'a/.git': 'nothing', 'a/b/c.txt': '' }), 'a/b', 'a'],
  [
    'a folder that claims to be a worktree of a repository, which does not know it',
    (root) => ({ ...worktree(root), 'forged/.git': `gitdir: ${join(root, 'repo/.git/worktrees/tree')}\n` }),
    'forged',
    'forged',
  ],
];

test.each(cases)(
  'Claude Code has the servers and off switches of %s under the right key',
  async (_name, files, project, root) => {
    const machine = await temporaryMachine();
    await write(machine, files);
    const place = { ...machine.place, project: join(machine.root, project) };
    const key = join(machine.root, root).replaceAll(sep, '/');
    await machine.file('home/.claude.json', JSON.stringify({ projects: { [key]: { disabledMcpServers: ['off'] } } }));

    const ours = ['off', 'on'].map((name) => ({ name, transport: 'stdio' as const, command: 'x' }));
    await syncHosts(ours, { ...machine.options, place, hosts: ['claude-code-local'] });

    const { projects } = JSON.parse(await textOf(join(machine.home, '.claude.json')));
    expect(Object.keys(projects)).toEqual([key]);
    expect(Object.keys(projects[key].mcpServers)).toEqual(['off', 'on']);
    const { servers } = await readHost('claude-code-local', place);
    expect(servers.map(({ name, enabled }) => [name, enabled])).toEqual([
      ['off', false],
      ['on', true],
    ]);
  },
);

test('Claude Code has a linked folder under its real path', async () => {
  const machine = await temporaryMachine();
  await write(machine, repository);
  await symlink(join(machine.root, 'repo/packages'), join(machine.root, 'link'), 'junction');
  const place = { ...machine.place, project: join(machine.root, 'link/app') };
  await syncHosts([{ name: 'on', transport: 'stdio', command: 'x' }], {
    ...{ ...machine.options, place, hosts: ['claude-code-local'] },
  });
  const { projects } = JSON.parse(await textOf(join(machine.home, '.claude.json')));
  expect(Object.keys(projects)).toEqual([join(machine.root, 'repo').replaceAll(sep, '/')]);
});

async function write(machine: TemporaryMachine, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files(machine.root))) await machine.file(path, text);
}
