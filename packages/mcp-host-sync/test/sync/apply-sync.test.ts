import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  applySync,
  type HostFileErrorCode,
  type HostServer,
  isHostFileError,
  planSync,
  readHost,
  readHostDocuments,
  readOwnership,
  syncHosts,
} from '../../src/index.js';
import { temporaryMachine, textOf } from '../helpers/temporary-machine.js';

const server: HostServer = { name: 'ours', transport: 'stdio', command: 'uvx', args: ['files-mcp'] };
const theirs = '{\n  "mcpServers": {\n    "theirs": { "command": "x" }\n  }\n}';
const both =
  '{\n  "mcpServers": {\n    "theirs": { "command": "x" },\n    "ours": {\n      "command": "uvx",\n      "args": [\n        "files-mcp"\n      ]\n    }\n  }\n}';

async function codeOf(work: Promise<unknown>): Promise<HostFileErrorCode | undefined> {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (error !== undefined && !isHostFileError(error)) throw error;
  return error?.code;
}

describe('an existing file', () => {
  test('gets the server, and is restored when it is removed', async () => {
    const machine = await temporaryMachine();
    const file = await machine.file('home/.cursor/mcp.json', theirs);
    const options = { ...machine.options, hosts: ['cursor-user'] };

    const added = await syncHosts([server], options);
    expect(await textOf(file)).toBe(both);
    expect(added.result?.files).toMatchObject([{ file, outcome: 'changed' }]);

    const again = await syncHosts([server], options);
    expect(again.result?.files).toEqual([]);

    await syncHosts([], options);
    expect(await textOf(file)).toBe(theirs);
    expect(await readOwnership(machine)).toEqual({ files: [] });
    expect(await machine.tree()).toEqual(['app/', 'home/', 'home/.cursor/', 'home/.cursor/mcp.json']);
  });

  test('is unchanged by a second run, also with values of variables', async () => {
    const machine = await temporaryMachine();
    const file = await machine.file('home/.gemini/config/mcp_config.json', '{}');
    const ours = [{ ...server, env: { KEY: `\${TOKEN}` } }];
    const options = { ...machine.options, hosts: ['antigravity-user'], writeSecrets: { TOKEN: 'planted-value' } };
    await syncHosts(ours, options);
    expect(await textOf(file)).toContain('planted-value');
    expect(await textOf(join(machine.stateDirectory, 'host-sync.json'))).not.toContain('planted-value');
    expect((await syncHosts(ours, options)).plan.files).toEqual([]);
  });

  test('keeps its mode', async () => {
    const machine = await temporaryMachine();
    const file = await machine.file('home/.cursor/mcp.json', theirs);
    await chmod(file, 0o664);
    await syncHosts([server], { ...machine.options, hosts: ['cursor-user'] });
    expect((await stat(file)).mode & 0o7777).toBe(0o664);
  });

  test('keeps its owner', async () => {
    const machine = await temporaryMachine();
    const file = await machine.file('home/.cursor/mcp.json', theirs);
    if (process.getuid?.() === 0) await chown(file, 1234, 2345); // only root can change the owner
    await chmod(file, 0o640);
    const { uid, gid, mode } = await stat(file);
    await syncHosts([server], { ...machine.options, hosts: ['cursor-user'] });
    expect(await stat(file)).toMatchObject({ uid, gid, mode });
  });

  test('stays behind its link', async () => {
    const machine = await temporaryMachine();
    const target = await machine.file('home/dotfiles/cursor.json', theirs);
    await mkdir(join(machine.home, '.cursor'));
    const path = join(machine.home, '.cursor/mcp.json');
    await symlink('../dotfiles/cursor.json', path);

    await syncHosts([server], { ...machine.options, hosts: ['cursor-user'] });
    expect(await readlink(path)).toBe('../dotfiles/cursor.json');
    expect(await textOf(target)).toBe(both);
  });

  test('is not separated from its hard link', async () => {
    const machine = await temporaryMachine();
    const twin = await machine.file('home/dotfiles/cursor.json', theirs);
    await mkdir(join(machine.home, '.cursor'));
    const path = join(machine.home, '.cursor/mcp.json');
    await link(twin, path);

    const { plan } = await syncHosts([server], { ...machine.options, hosts: ['cursor-user'] });
    expect(plan.issues).toMatchObject([{ code: 'file-not-edited', reason: 'hard-link', file: path }]);
    expect([await textOf(path), await textOf(twin)]).toEqual([theirs, theirs]);
    expect((await stat(path)).nlink).toBe(2);
  });

  test('is unchanged by a dry run', async () => {
    const machine = await temporaryMachine();
    const file = await machine.file('home/.cursor/mcp.json', theirs);
    const { plan, result } = await syncHosts([server], { ...machine.options, hosts: ['cursor-user'], dryRun: true });
    expect(plan.steps).toMatchObject([{ type: 'add', file }]);
    expect(result).toBeUndefined();
    expect(await textOf(file)).toBe(theirs);
    expect(await readdir(machine.root)).toEqual(['app', 'home']);
  });
});

describe('a missing file', () => {
  test('is created with mode 0600, and deleted with its directories', async () => {
    const machine = await temporaryMachine();
    const options = { ...machine.options, hosts: ['junie-project'] };
    const { result } = await syncHosts([server], options);
    const file = join(machine.project, '.junie/mcp/mcp.json');
    expect(result?.files).toEqual([{ file, outcome: 'created', backup: undefined }]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    expect((await syncHosts([], options)).result?.files).toMatchObject([{ file, outcome: 'deleted' }]);
    expect(await machine.tree()).toEqual(['app/', 'home/']);
  });

  test('keeps directories that are in use by then', async () => {
    const machine = await temporaryMachine();
    const options = { ...machine.options, hosts: ['junie-project'] };
    await syncHosts([server], options);
    await machine.file('app/.junie/guidelines.md', '');
    await syncHosts([], options);
    expect(await machine.tree()).toEqual(['app/', 'app/.junie/', 'app/.junie/guidelines.md', 'home/']);
  });

  test('leaves no directory behind after a failed write', async () => {
    const machine = await temporaryMachine();
    const onStep = (step: string) => {
      if (step === 'back-up') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    await expect(syncHosts([server], { ...machine.options, hosts: ['junie-project'], onStep })).rejects.toThrow('full');
    expect(await machine.tree()).toEqual(['app/', 'home/']);
    expect(await readOwnership(machine)).toEqual({ files: [] });
  });
});

/** Megabytes are read a dozen times, which takes a while on a busy machine. */
const patient = { timeout: 120_000 };

const gooseFile = `${process.platform === 'win32' ? 'AppData/Roaming/Block/goose/config' : '.config/goose'}/config.yaml`;

test.each([
  ['JSON', 'cursor-user', '.cursor/mcp.json', theirs],
  ['YAML', 'goose-user', gooseFile, 'extensions:\n  theirs: # theirs\n    cmd: x\nrest: 1\n'],
  [
    'TOML',
    'codex-user',
    '.codex/config.toml',
    'model = "x"\n\n[mcp_servers.theirs] # theirs\ncommand = "x"\n\n[tui]\n',
  ],
])('ten thousand servers are added to one file in %s and removed again', patient, async (_, host, path, text) => {
  const machine = await temporaryMachine();
  const file = await machine.file(`home/${path}`, text);
  const ours = Array.from({ length: 10_000 }, (_, index): HostServer => ({ ...server, name: `server-${index}` }));
  const options = { ...machine.options, hosts: [host] };

  expect((await syncHosts(ours, options)).result?.files).toMatchObject([{ file, outcome: 'changed' }]);
  const { servers } = await readHost(host, machine.place);
  expect(servers.map(({ name }) => name)).toEqual(['theirs', ...ours.map(({ name }) => name)]);
  expect(servers.at(-1)).toMatchObject({ command: 'uvx', args: ['files-mcp'] });

  await syncHosts([], options);
  expect(await textOf(file)).toBe(text);
});

describe('directories with several files', () => {
  const hosts = ['mcp-hub', 'opencode-user', 'kilo-user', 'cline-user'];

  async function synced() {
    const machine = await temporaryMachine();
    const { options } = machine;
    await syncHosts([server], { ...options, hosts });
    expect(await machine.tree()).toContain('home/.config/');
    return { machine, options };
  }

  test('are removed with the last file, in one run', async () => {
    const { machine, options } = await synced();
    expect((await syncHosts([], { ...options, hosts })).plan.issues).toEqual([]);
    expect(await machine.tree()).toEqual(['app/', 'home/']);
    expect(await readOwnership(machine)).toEqual({ files: [] });
  });

  test.each([hosts, hosts.toReversed()])('and in several: %s, …', async (...order) => {
    const { machine, options } = await synced();
    for (const host of order) await syncHosts([], { ...options, hosts: [host] });
    expect(await machine.tree()).toEqual(['app/', 'home/']);
    expect(await readOwnership(machine)).toEqual({ files: [] });
  });

  test('stay if they existed before', async () => {
    const machine = await temporaryMachine();
    await mkdir(join(machine.home, '.config/opencode'), { recursive: true });
    const options = { ...machine.options, hosts };
    await syncHosts([server], options);
    await syncHosts([], options);
    expect(await machine.tree()).toEqual(['app/', 'home/', 'home/.config/', 'home/.config/opencode/']);
  });
});

describe('backups', () => {
  test('have the previous file, byte for byte, with mode 0600', async () => {
    const machine = await temporaryMachine();
    await machine.file('home/.cursor/mcp.json', `\uFEFF${theirs}\r\n`, 0o644);
    const { result } = await syncHosts([server], { ...machine.options, hosts: ['cursor-user'] });
    const backup = result?.files[0]?.backup ?? '';
    expect(await readFile(backup, 'utf8')).toBe(`\uFEFF${theirs}\r\n`);
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(backup))).mode & 0o777).toBe(0o700);
  });

  test.each([
    [undefined, 5],
    [2, 2],
    [0, 0],
  ])('with the option %s, the newest %i are kept', async (backups, kept) => {
    const machine = await temporaryMachine();
    await machine.file('home/.cursor/mcp.json', theirs);
    let newest: string | undefined;
    for (let run = 0; run < 7; run += 1) {
      const changed = { ...server, args: [`run-${run}`] };
      const { result } = await syncHosts([changed], { ...machine.options, hosts: ['cursor-user'], backups });
      newest = result?.files[0]?.backup;
    }
    const folder = join(machine.stateDirectory, 'backups');
    const copies = (await readdir(folder, { recursive: true }).catch(() => [])).filter((name) =>
      name.endsWith('.json'),
    );
    expect(copies).toHaveLength(kept);
    if (newest !== undefined) expect(await textOf(newest)).toContain('run-5');
  });

  test('rejects an invalid number of backups', async () => {
    await expect(applySync({ steps: [], issues: [], files: [] }, { backups: -1 })).rejects.toThrow(
      new TypeError('backups must be a whole number of copies from 0 on, got -1'),
    );
  });
});

test.each([Number.NaN, -1])('rejects the wait time %d', async (timeoutMs) => {
  await expect(applySync({ steps: [], issues: [], files: [] }, { timeoutMs })).rejects.toThrow(
    new TypeError(`timeoutMs must be a whole number of milliseconds from 0 on, got ${timeoutMs}`),
  );
});

describe('rejects what is at the path', () => {
  test.each<[string, HostFileErrorCode, (path: string, root: string) => Promise<unknown>]>([
    ['a directory', 'not-a-file', (path) => mkdir(path)],
    ['a link to a device', 'outside-expected-place', (path) => symlink('/dev/null', path)],
    ['a link out of its place', 'outside-expected-place', (path, root) => symlink(join(root, 'elsewhere.json'), path)],
    ['a link that leads nowhere', 'broken-link', (path) => symlink('nowhere.json', path)],
    [
      'a circle of links',
      'broken-link',
      async (path) => {
        await symlink('b.json', path);
        await symlink('mcp.json', join(dirname(path), 'b.json'));
      },
    ],
  ])('%s: %s', async (_, code, make) => {
    const machine = await temporaryMachine();
    await machine.file('elsewhere.json', theirs);
    await mkdir(join(machine.home, '.cursor'));
    const path = join(machine.home, '.cursor/mcp.json');
    await make(path, machine.root);
    const before = await machine.tree();

    const documents = await readHostDocuments(['cursor-user'], machine);
    expect(documents[0]?.fault?.code).toBe(code);
    const { plan } = await syncHosts([server], { ...machine.options, hosts: ['cursor-user'] });
    expect(plan.issues).toMatchObject([{ code: 'file-not-edited', reason: code, severity: 'error' }]);
    expect(plan.issues[0]?.message.split(path)).toHaveLength(2);
    expect(plan.files).toEqual([]);

    // Also at the time of writing, in case it appeared after the plan.
    await rm(path, { recursive: true });
    const honest = planSync({ ours: [server], theirs: await readHostDocuments(['cursor-user'], machine) });
    await rm(join(dirname(path), 'b.json'), { force: true });
    await make(path, machine.root);
    expect(await codeOf(applySync(honest, machine))).toBe(code);
    expect(await machine.tree()).toEqual(before);
    expect(await textOf(join(machine.root, 'elsewhere.json'))).toBe(theirs);
  });

  test('a pipe, without waiting for it', async () => {
    const machine = await temporaryMachine();
    await mkdir(join(machine.home, '.cursor'));
    const { execFileSync } = await import('node:child_process');
    execFileSync('mkfifo', [join(machine.home, '.cursor/mcp.json')]);
    const [document] = await readHostDocuments(['cursor-user'], machine);
    expect(document?.fault?.code).toBe('not-a-file');
  });

  test('a directory on the path that leads elsewhere', async () => {
    const machine = await temporaryMachine();
    await mkdir(join(machine.root, 'elsewhere'));
    await symlink('../elsewhere', join(machine.home, '.cursor'));
    const [document] = await readHostDocuments(['cursor-user'], machine);
    expect(document?.fault?.code).toBe('outside-expected-place');
    expect(await readdir(join(machine.root, 'elsewhere'))).toEqual([]);
  });

  test('a place with the same prefix as the expected one', async () => {
    const machine = await temporaryMachine();
    const target = await machine.file('home-evil/mcp.json', theirs);
    await mkdir(join(machine.home, '.cursor'));
    await symlink('../../home-evil/mcp.json', join(machine.home, '.cursor/mcp.json'));
    const [document] = await readHostDocuments(['cursor-user'], machine);
    expect(document?.fault?.code).toBe('outside-expected-place');
    expect(await textOf(target)).toBe(theirs);
  });

  test('but accepts an allowed place', async () => {
    const machine = await temporaryMachine();
    const target = await machine.file('dotfiles/mcp.json', theirs);
    await mkdir(join(machine.home, '.cursor'));
    await symlink(target, join(machine.home, '.cursor/mcp.json'));
    const allowedPlaces = [join(machine.root, 'dotfiles')];
    await syncHosts([server], { ...machine.options, hosts: ['cursor-user'], allowedPlaces });
    expect(await textOf(target)).toBe(both);
  });
});

describe('a file that is swapped between check and write is not written', () => {
  test.each<[string, (file: string, machine: { readonly root: string }) => Promise<unknown>]>([
    ['the content', (file) => writeFile(file, '{}')],
    [
      'the file, for another of the same content',
      async (file) => {
        await writeFile(`${file}.new`, theirs);
        await rename(`${file}.new`, file);
      },
    ],
    [
      'the file, for a link',
      async (file, { root }) => {
        await rm(file);
        await symlink(join(root, 'elsewhere.json'), file);
      },
    ],
    [
      'a directory on the way, for a link',
      async (file, { root }) => {
        await rm(dirname(file), { recursive: true });
        await symlink(join(root, 'elsewhere'), dirname(file));
      },
    ],
    ['the file, for nothing', (file) => rm(file)],
  ])('%s', async (_, swap) => {
    const machine = await temporaryMachine();
    const elsewhere = await machine.file('elsewhere/mcp.json', theirs);
    await machine.file('elsewhere.json', theirs);
    const file = await machine.file('home/.cursor/mcp.json', theirs);
    const plan = planSync({ ours: [server], theirs: await readHostDocuments(['cursor-user'], machine) });

    const onStep = async (step: string) => {
      if (step === 'replace') await swap(file, machine);
    };
    expect(await codeOf(applySync(plan, { ...machine.options, onStep }))).toMatch(
      /^(changed-since-plan|write-failed)$/,
    );
    expect(await textOf(elsewhere)).toBe(theirs);
    expect(await textOf(join(machine.root, 'elsewhere.json'))).toBe(theirs);
    expect(JSON.stringify(await machine.tree())).not.toContain('mcpx-tmp');
    expect(await readOwnership(machine)).toEqual({ files: [] });
  });

  test('and a link that leads elsewhere by then stays unchanged', async () => {
    const machine = await temporaryMachine();
    const first = await machine.file('home/a.json', theirs);
    const second = await machine.file('home/b.json', theirs);
    await mkdir(join(machine.home, '.cursor'));
    const path = join(machine.home, '.cursor/mcp.json');
    await symlink(first, path);
    const plan = planSync({ ours: [server], theirs: await readHostDocuments(['cursor-user'], machine) });
    const onStep = async (step: string) => {
      if (step !== 'replace') return;
      await rm(path);
      await symlink(second, path);
    };
    expect(await codeOf(applySync(plan, { ...machine.options, onStep }))).toBe('changed-since-plan');
    expect([await textOf(first), await textOf(second)]).toEqual([theirs, theirs]);
  });
});

describe('an outdated plan', () => {
  test('is not applied to different content', async () => {
    const machine = await temporaryMachine();
    const file = await machine.file('home/.cursor/mcp.json', theirs);
    const plan = planSync({ ours: [server], theirs: await readHostDocuments(['cursor-user'], machine) });
    await writeFile(file, `${theirs}\n`);
    expect(await codeOf(applySync(plan, machine))).toBe('changed-since-plan');
    expect(await textOf(file)).toBe(`${theirs}\n`);
  });

  test('is not applied twice', async () => {
    const machine = await temporaryMachine();
    await machine.file('home/.cursor/mcp.json', theirs);
    const plan = planSync({ ours: [server], theirs: await readHostDocuments(['cursor-user'], machine) });
    await applySync(plan, machine);
    expect(await codeOf(applySync(plan, machine))).toBe('changed-since-plan');
  });

  test('is made again by syncHosts, and both changes are kept', async () => {
    const machine = await temporaryMachine();
    const file = await machine.file('home/.cursor/mcp.json', theirs);
    let isRewritten = false;
    const onStep = async (step: string) => {
      if (step !== 'compare' || isRewritten) return;
      isRewritten = true;
      await writeFile(file, theirs.replace('theirs', 'renamed'));
    };
    await syncHosts([server], { ...machine.options, hosts: ['cursor-user'], onStep });
    expect(Object.keys(JSON.parse(await textOf(file)).mcpServers)).toEqual(['renamed', 'ours']);
  });

  test('is made again by syncHosts, which reports the steps of all attempts', async () => {
    const machine = await temporaryMachine();
    const cursor = await machine.file('home/.cursor/mcp.json', theirs);
    const codex = await machine.file('home/.codex/config.toml', '');
    const hosts = ['cursor-user', 'codex-user'];
    const options = { ...machine.options, hosts };
    const old = { ...server, name: 'old' };
    await syncHosts([old], options);

    const changedOnce = () => {
      let isChanged = false;
      return async (step: string, file: string) => {
        if (step !== 'check' || file !== codex || isChanged) return;
        isChanged = true;
        await writeFile(codex, `# mine\n${await textOf(codex)}`);
      };
    };
    const applied: string[] = [];
    const onApplied = ({ file }: { readonly file: string }) => void applied.push(file);
    const { plan, result } = await syncHosts([server], { ...options, onStep: changedOnce(), onApplied });
    expect(plan.steps.map(({ type, host, server: name }) => `${type} ${name} ${host}`).toSorted()).toEqual([
      'add ours codex-user',
      'add ours cursor-user',
      'remove old codex-user',
      'remove old cursor-user',
    ]);
    expect(applied).toEqual([cursor, codex]);
    expect(result?.files.map(({ file, outcome }) => [file, outcome])).toEqual([
      [cursor, 'changed'],
      [codex, 'changed'],
    ]);
    expect(await textOf(result?.files[0]?.backup ?? '')).toContain('"old"');
  });

  test('ends in an error if the file keeps changing', async () => {
    const machine = await temporaryMachine();
    const file = await machine.file('home/.cursor/mcp.json', theirs);
    let count = 0;
    const onStep = async (step: string) => {
      if (step !== 'compare') return;
      count += 1;
      await writeFile(file, `${theirs}${' '.repeat(count)}`);
    };
    expect(await codeOf(syncHosts([server], { ...machine.options, hosts: ['cursor-user'], onStep }))).toBe(
      'changed-since-plan',
    );
    expect(count).toBe(10);
  });
});

test('a host that fails does not stop the others', async () => {
  const machine = await temporaryMachine();
  const good = await machine.file('home/.cursor/mcp.json', theirs);
  const readOnly = await machine.file('home/.junie/mcp/mcp.json', theirs);
  const plan = planSync({ ours: [server], theirs: await readHostDocuments(['junie-user', 'cursor-user'], machine) });
  await chmod(readOnly, 0o400);
  const applied: unknown[] = [];
  const onApplied = (file: unknown) => void applied.push(file);
  expect(await codeOf(applySync(plan, { ...machine.options, onApplied }))).toBe('read-only');
  expect(applied).toMatchObject([{ file: good, outcome: 'changed', backup: expect.any(String) }]);
  expect(await textOf(good)).toBe(both);
  expect(await textOf(readOnly)).toBe(theirs);
});

test('several failures are reported together', async () => {
  const machine = await temporaryMachine();
  const files = [
    await machine.file('home/.cursor/mcp.json', theirs),
    await machine.file('home/.junie/mcp/mcp.json', theirs),
  ];
  const plan = planSync({ ours: [server], theirs: await readHostDocuments(['junie-user', 'cursor-user'], machine) });
  for (const file of files) await chmod(file, 0o400);
  await expect(applySync(plan, machine)).rejects.toThrow('2 of 2 files could not be synced');
});

test('a damaged record is an error, not an empty record', async () => {
  const machine = await temporaryMachine();
  const file = await machine.file('state/host-sync.json', '{"version":1,"files":[{');
  expect(await codeOf(readOwnership(machine))).toBe('invalid-state');
  expect(await codeOf(syncHosts([server], { ...machine.options, hosts: ['cursor-user'] }))).toBe('invalid-state');
  await writeFile(file, '{"version":2,"files":[]}');
  expect(await codeOf(readOwnership(machine))).toBe('invalid-state');
});

test('a record behind a link is written through the link', async () => {
  const machine = await temporaryMachine();
  const record = await machine.file('home/dotfiles/record.json', '{"version":1,"files":[]}');
  await mkdir(machine.stateDirectory);
  const path = join(machine.stateDirectory, 'host-sync.json');
  await symlink(record, path);
  const options = { ...machine.options, hosts: ['cursor-user'] };
  await syncHosts([server], options);
  expect(await readlink(path)).toBe(record);
  expect(await textOf(record)).toContain('.cursor/mcp.json');
  await syncHosts([], options);
  expect(await readOwnership(machine)).toEqual({ files: [] });
});

test('a record behind a broken link is an error, not an empty record', async () => {
  const machine = await temporaryMachine();
  await mkdir(machine.stateDirectory);
  await symlink('nowhere.json', join(machine.stateDirectory, 'host-sync.json'));
  expect(await codeOf(syncHosts([server], { ...machine.options, hosts: ['cursor-user'] }))).toBe('broken-link');
});

describe('an exception of onStep', () => {
  test.each([
    'lock',
    'check',
    'record-intent',
    'back-up',
    'write-temporary',
    'compare',
    'replace',
    'settle',
    'unlock',
    'record-outcome',
  ])('before %s is passed on, and the next run continues', async (stop) => {
    const machine = await temporaryMachine();
    const file = await machine.file('home/.cursor/mcp.json', theirs);
    const reason = new Error('stop');
    const onStep = (step: string) => {
      if (step === stop) throw reason;
    };
    const options = { ...machine.options, hosts: ['cursor-user'] };
    await expect(syncHosts([server], { ...options, onStep })).rejects.toBe(reason);
    expect(JSON.stringify(await machine.tree())).not.toContain('mcpx-tmp');
    await syncHosts([server], options);
    expect(await textOf(file)).toBe(both);
    await syncHosts([], options);
    expect(await textOf(file)).toBe(theirs);
  });
});

test('the record has mode 0600', async () => {
  const machine = await temporaryMachine();
  await syncHosts([server], { ...machine.options, hosts: ['cursor-user'] });
  expect((await lstat(join(machine.stateDirectory, 'host-sync.json'))).mode & 0o777).toBe(0o600);
  expect((await lstat(machine.stateDirectory)).mode & 0o777).toBe(0o700);
});

test('a signal stops before the next file', async () => {
  const machine = await temporaryMachine();
  const controller = new AbortController();
  const reason = new Error('stop');
  const onStep = (step: string) => {
    if (step === 'unlock') controller.abort(reason);
  };
  const hosts = ['cursor-user', 'junie-user'];
  await expect(syncHosts([server], { ...machine.options, hosts, onStep, signal: controller.signal })).rejects.toBe(
    reason,
  );
  expect(await machine.tree()).toContain('home/.cursor/mcp.json');
  expect(await machine.tree()).not.toContain('home/.junie/mcp/mcp.json');
});
