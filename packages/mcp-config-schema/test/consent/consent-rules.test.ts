import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ConsentGateOptions, createConsentGate } from '../../src/consent/consent-gate.js';
import { consentKey, createConsentStore } from '../../src/consent/consent-store.js';
import {
  entriesOf,
  inRealDirectories,
  type LaunchToConfirm,
  launchesToConfirm,
  launchKey,
  type RequestedLaunch,
} from '../../src/consent/launches.js';
import { type LoadedConfig, loadConfig } from '../../src/load.js';

let home: string;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'consent-')));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** A project with one file of servers. */
async function load(
  servers: string,
  { folder = 'project', file = 'mcp_servers.yaml', env = {} } = {},
): Promise<LoadedConfig> {
  const path = join(home, folder, file);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, `mcp_servers:\n${servers}\n`);
  return loadConfig({ cwd: home, env: { HOME: join(home, 'user'), ...env }, files: [path] });
}

/** A reference to a variable. */
const tenant = '$' + '{TENANT}';
const place = (userDirectory?: string) => ({ cwd: home, userDirectory });
const echo = (text = 'hello') => `  echo: { command: node, args: [echo.js, ${text}] }`;

function launchesIn(config: LoadedConfig): readonly RequestedLaunch[] {
  return config.servers.map(({ name, ...server }) => ({ server: name, ...server }) as unknown as RequestedLaunch);
}

async function onlyLaunch(config: LoadedConfig): Promise<LaunchToConfirm> {
  const [launch] = launchesToConfirm(config, place()).values();
  if (launch === undefined) throw new Error('nothing needs consent');
  return launch;
}

describe('what needs consent', () => {
  test('is where the process runs, even if a link changes between the reading and the question', async () => {
    for (const name of ['good', 'evil']) await mkdir(join(home, name));
    await symlink(join(home, 'evil'), join(home, 'link'));
    const read = inRealDirectories(await load(`  echo: { command: node, cwd: ${join(home, 'link')} }`));
    await rm(join(home, 'link'));
    await symlink(join(home, 'good'), join(home, 'link'));
    expect(read.servers[0]).toMatchObject({ cwd: join(home, 'evil') });
    expect((await onlyLaunch(read)).lines).toContain(`in       ${join(home, 'evil')}`);
  });

  test('is every command, with what runs as lines, its place and the project', async () => {
    const config = await load(
      '  echo:\n    command: node\n    args: [echo.js, "two words"]\n    env: { LEVEL: high }\n    cwd: /srv',
    );
    expect(await onlyLaunch(config)).toMatchObject({
      server: 'echo',
      isRemote: false,
      directory: join(home, 'project'),
      file: join(home, 'project', 'mcp_servers.yaml'),
      line: 2,
      lines: ['runs     node echo.js "two words"', `in       ${resolve(tmpdir(), '/srv')}`, 'env      LEVEL=high'],
    });
  });

  test.each([
    'url: https://example.com/mcp',
    `url: "https://example.com/${tenant}"`,
    'url: https://example.com/mcp, headers: { X-Plain: text }',
    'url: https://example.com/mcp, auth: { provider: oauth }',
    'command: node',
  ])('{ %s }', async (entry) => {
    const config = await load(`  web: { ${entry} }`, { env: { TENANT: 'acme-corp' } });
    expect(launchesToConfirm(config, place()).has('web')).toBe(true);
  });

  test('a server whose entry is unknown is refused', async () => {
    const config = await load(echo());
    expect(() => launchesToConfirm({ ...config, launches: new Map() }, place())).toThrow('"echo" is not known');
  });

  test('a command without other fields shows its line and directory', async () => {
    expect((await onlyLaunch(await load(echo()))).lines).toEqual([
      'runs     node echo.js hello',
      `in       ${join(home, 'project')}`,
    ]);
  });

  test('a server at an address is shown with its address, its headers, where its secrets come from, and its sign-in', async () => {
    const config = await load(
      '  web: { url: https://example.com/mcp, headers: { X-Plain: text, X-Key: { secret_ref: "command:security-tool" } } }',
    );
    expect(await onlyLaunch(config)).toMatchObject({
      isRemote: true,
      lines: [
        'connects https://example.com/mcp',
        'header   X-Plain=text',
        'secret   X-Key from command:security-tool',
        'sign-in  yours for this address, if you have one',
      ],
    });
  });

  test('a key of the user in .env is not shown under a plain name, but all that may decide what runs is', async () => {
    const key = `ghp_${'a1B2'.repeat(9)}`;
    const values = { KEY: key, DB: 'postgres://ann:hunter22@db/x', CODE: '--import ./x.mjs', NAME_TOKEN: 'x.mjs' };
    await mkdir(join(home, 'project'), { recursive: true });
    const text = Object.entries(values).map(([name, value]) => `${name}='${value}'\n`);
    await writeFile(join(home, 'project', '.env'), text.join(''));
    const filled = async (entry: object) =>
      (await onlyLaunch(await load(`  a: ${JSON.stringify(entry)}`))).lines.filter((each) => each.startsWith('.env'));
    const given = (name: string) => `$${'{'}${name}}`;
    const env = { GITHUB: given('KEY'), DATABASE: given('DB'), LEVEL: given('CODE'), EXTRA: given('NAME_TOKEN') };
    expect(await filled({ command: 'node', env })).toEqual([
      '.env     KEY=ghp_***',
      '.env     DB=postgres://ann:***@db/x',
      '.env     CODE="--import ./x.mjs"',
      '.env     NAME_TOKEN=x.mjs',
    ]);
    expect(await filled({ command: 'node', env: { PATH: given('KEY') } })).toEqual([`.env     KEY=${key}`]);
    expect(await filled({ command: given('KEY') })).toEqual([`.env     KEY=${key}`]);
    expect(await filled({ command: 'node', env: { GITHUB_TOKEN: given('KEY') } })).toEqual(['.env     KEY']);
  });

  test('variables are shown by their names, and what looks like a secret as it is', async () => {
    const config = await load(
      `  a: { command: "node --key ${tenant} {{root}}", env: { API_TOKEN: "touch PWNED" }, cwd: "${tenant}/x" }\n` +
        `  b: { command: sh, args: [-c, touch PWNED] }\n  c: { url: "https://example.com/${tenant}", headers: { X-Version: "${tenant}" } }`,
      { env: { TENANT: 'acme-corp' } },
    );
    const lines = [...launchesToConfirm(config, place()).values()].flatMap((launch) => launch.lines);
    expect(lines).toEqual([
      `runs     node --key ${tenant} {{root}}`,
      `in       ${tenant}/x`,
      'env      API_TOKEN="touch PWNED"',
      'runs     sh -c "touch PWNED"',
      `in       ${join(home, 'project')}`,
      `connects https://example.com/${tenant}`,
      `header   X-Version=${tenant}`,
      'sign-in  yours for this address, if you have one',
    ]);
  });

  test.each([
    ['project', '.', true],
    ['user/config', 'user/config', false],
    ['user/config/sub', 'user/config', false],
    ['user/config-2', 'user/config', true],
    ['user', 'user/config', true],
  ])('a file in %s is not the user’s own where that is %s: %s', async (folder, userDirectory, needed) => {
    const config = await load(echo(), { folder });
    await mkdir(join(home, userDirectory), { recursive: true });
    const user = userDirectory === '.' ? undefined : join(home, userDirectory);
    expect(launchesToConfirm(config, place(user)).has('echo')).toBe(needed);
  });

  test('an entry without a file is not the user’s', async () => {
    const config = await load(echo());
    const servers = config.servers.map((server) => ({ ...server, source: { ...server.source, file: undefined } }));
    expect(launchesToConfirm({ ...config, servers }, place(home)).has('echo')).toBe(true);
  });

  test('a link in the user’s own directory does not make a project’s file the user’s', async () => {
    const config = await load(echo(), { folder: 'project' });
    await mkdir(join(home, 'user'), { recursive: true });
    await symlink(join(home, 'project'), join(home, 'user', 'link'));
    const through = await loadConfig({ cwd: home, env: {}, files: [join(home, 'user', 'link', 'mcp_servers.yaml')] });
    expect(launchesToConfirm(through, place(join(home, 'user'))).has('echo')).toBe(true);
    expect((await onlyLaunch(config)).directory).toBe(join(home, 'project'));
  });

  test('a link in a project does not make its file the user’s, nor another project’s', async () => {
    await load(echo(), { folder: 'own' });
    await load(echo(), { folder: 'good' });
    const clone = join(home, 'clone');
    await mkdir(clone);
    await symlink(join(home, 'own', 'mcp_servers.yaml'), join(clone, 'mcp_servers.yaml'));
    await symlink(join(home, 'good', 'mcp_servers.yaml'), join(clone, '.mcp.yaml'));
    await symlink(join(home, 'own'), join(clone, 'config'));
    const loaded = (file: string) => loadConfig({ cwd: clone, env: {}, files: [file] });
    const own = { cwd: clone, userDirectory: join(home, 'own') };
    for (const file of ['mcp_servers.yaml', '.mcp.yaml', 'config/mcp_servers.yaml']) {
      const asked = launchesToConfirm(await loaded(file), own).get('echo');
      expect([file, asked?.directory]).toEqual([file, clone]);
    }
    const good = await loadConfig({ cwd: home, env: {}, files: [join(home, 'good', 'mcp_servers.yaml')] });
    const keys = await Promise.all([good, await loaded('.mcp.yaml')].map(onlyLaunch));
    expect(keys[0]?.digest).not.toBe(keys[1]?.digest);
    expect(new Set(keys.map(consentKey)).size).toBe(2);
    expect(entriesOf(await loaded('.mcp.yaml'))).not.toEqual(entriesOf(good));
  });

  test('a home directory that is a link does not count as a link of a project', async () => {
    await load(echo(), { folder: 'disk/ann/config' });
    await symlink(join(home, 'disk', 'ann'), join(home, 'ann'));
    const user = place(join(home, 'ann', 'config'));
    for (const folder of ['ann/config', 'disk/ann/config']) {
      const config = await loadConfig({ cwd: home, env: {}, files: [join(home, folder, 'mcp_servers.yaml')] });
      expect(launchesToConfirm(config, user).size).toBe(0);
    }
  });

  test('a project that is reached through a link is the same project', async () => {
    const direct = await onlyLaunch(await load(echo()));
    await symlink(join(home, 'project'), join(home, 'link'));
    const through = await loadConfig({ cwd: home, env: {}, files: [join(home, 'link', 'mcp_servers.yaml')] });
    expect(consentKey(await onlyLaunch(through))).toBe(consentKey(direct));
  });

  test('another target of a link that a server runs in is another launch', async () => {
    const servers = '  echo: { command: node, args: [echo.js], cwd: tools }';
    for (const name of ['good', 'evil']) await mkdir(join(home, 'project', name), { recursive: true });
    await symlink('good', join(home, 'project', 'tools'));
    const before = await onlyLaunch(await load(servers));
    expect(before.lines).toContain(`in       ${join(home, 'project', 'good')}`);
    await rm(join(home, 'project', 'tools'));
    await symlink('evil', join(home, 'project', 'tools'));
    expect((await onlyLaunch(await load(servers))).digest).not.toBe(before.digest);
  });

  test.each(['config', '.vscode'])('a file in the folder %s belongs to the project above', async (folder) => {
    const config = await load(echo(), { file: join(folder, 'mcp_servers.yaml') });
    expect((await onlyLaunch(config)).directory).toBe(join(home, 'project'));
  });
});

describe('consent is to exactly what a file says', () => {
  test.each([
    ['args', '  echo: { command: node, args: [other.js] }'],
    ['command', '  echo: { command: deno, args: [echo.js, hello] }'],
    ['cwd', '  echo: { command: node, args: [echo.js, hello], cwd: /srv }'],
    ['env', '  echo: { command: node, args: [echo.js, hello], env: { A: b } }'],
    ['name', '  echo2: { command: node, args: [echo.js, hello] }'],
  ])('another %s is another launch', async (_, servers) => {
    const [before, after] = [await load(echo()), await load(servers)];
    expect((await onlyLaunch(after)).digest).not.toBe((await onlyLaunch(before)).digest);
    expect(launchesIn(after).map(launchKey)).not.toEqual(launchesIn(before).map(launchKey));
  });

  test('a server that replaces one of the user’s is shown so and is another launch', async () => {
    await mkdir(join(home, 'own'));
    await mkdir(join(home, 'project'));
    await writeFile(
      join(home, 'project', 'mcp_servers.yaml'),
      'mcp_servers:\n  web: { url: https://example.com/mcp }\n',
    );
    const options = { cwd: join(home, 'project'), env: {}, userDirectory: join(home, 'own') };
    const alone = await onlyLaunch(await loadConfig(options));
    await writeFile(join(home, 'own', 'mcp_servers.yaml'), 'mcp_servers:\n  web: { url: https://mine.example/mcp }\n');
    const both = await onlyLaunch(await loadConfig(options));
    expect(both.lines).toEqual([
      ...alone.lines,
      `replaces your own server of this name in ${join(home, 'own', 'mcp_servers.yaml')}:2`,
    ]);
    expect(both.digest).not.toBe(alone.digest);
  });

  test('other servers are not shown as replacements', async () => {
    for (const [folder, servers] of [
      ['own', '  web: { url: https://mine.example/mcp }'],
      ['project', '  new: { command: node }\n  web: { command: node }'],
    ] as const) {
      await mkdir(join(home, folder));
      await writeFile(join(home, folder, 'mcp_servers.yaml'), `mcp_servers:\n${servers}\n`);
    }
    const config = await loadConfig({ cwd: join(home, 'project'), env: {}, userDirectory: join(home, 'own') });
    const launches = launchesToConfirm(config, place(join(home, 'own')));
    const replacing = [...launches.values()].filter(({ lines }) => lines.some((line) => line.startsWith('replaces')));
    expect([...launches.keys()].toSorted()).toEqual(['new', 'web']);
    expect(replacing.map(({ server }) => server)).toEqual(['web']);
  });

  test('a log directory outside of a project that is named is shown, and makes another launch', async () => {
    const logsIn = (directory: string) => load(`${echo()}\nmcp_settings: { log_directory: ${directory} }`);
    const [none, inside, outside] = [await load(echo()), await logsIn('logs'), await logsIn('/var/log/elsewhere')];
    const launches = await Promise.all([none, inside, outside].map(onlyLaunch));
    expect(launches[1]?.digest).toBe(launches[0]?.digest);
    expect(launches[2]?.digest).not.toBe(launches[0]?.digest);
    expect(launches[2]?.lines).toEqual([
      ...(launches[0]?.lines ?? []),
      `logs     to ${resolve(tmpdir(), '/var/log/elsewhere')}`,
    ]);
  });

  test('the order of variables and fields that run nothing change no digest', async () => {
    const before = await load('  echo: { command: node, args: [], env: { A: "1", B: "2" }, priority: 1 }');
    const after = await load('  echo: { env: { B: "2", A: "1" }, command: node, args: [] }');
    expect((await onlyLaunch(after)).digest).toBe((await onlyLaunch(before)).digest);
    expect(launchesIn(after).map(launchKey)).toEqual(launchesIn(before).map(launchKey));
  });

  test('the digest of a launch is the same in every release', async () => {
    const env = '{ B: "2", A: { secret_ref: "env:X" } }';
    const servers = `  echo: { command: node, args: [a, b], cwd: "${tenant}/x", env: ${env} }`;
    const config = await load(servers, { env: { TENANT: '/srv' } });
    expect((await onlyLaunch(config)).digest).toBe('6c6d0ed2905179e544f15954ac2e231e30f34a00a22b64eb80d02b887dc7ae57');
  });

  test('a server without secrets has the key of its launch', async () => {
    const { servers } = await load(echo());
    expect(servers.map(launchKey)).toEqual(
      servers.map(({ name, ...server }) =>
        launchKey({ server: name, ...server, secrets: [] } as unknown as RequestedLaunch),
      ),
    );
  });

  test('the value of a variable is part of a launch, and not of its digest', async () => {
    const servers = `  echo: { command: node, args: ["${tenant}"] }`;
    const [one, other] = [
      await load(servers, { env: { TENANT: 'acme-corp' } }),
      await load(servers, { env: { TENANT: 'umbrella' } }),
    ];
    expect((await onlyLaunch(one)).digest).toBe((await onlyLaunch(other)).digest);
    expect(launchesIn(one).map(launchKey)).not.toEqual(launchesIn(other).map(launchKey));
  });

  test('keys of launches differ in what a server at an address sends', async () => {
    const web = (rest: string) => load(`  web: { url: https://example.com/mcp${rest} }`).then(launchesIn);
    const keys = [
      ...(await web('')),
      ...(await web(', headers: { A: b }')),
      ...(await web(', headers: { A: c }')),
      ...(await web(', headers: { K: { secret_ref: "command:a" } }')),
      ...(await web(', headers: { K: { secret_ref: "command:b" } }')),
      ...(await web(', auth: { provider: oauth }')),
    ].map(launchKey);
    expect(new Set(keys).size).toBe(6);
  });

  test('the digest of an entry depends on its owner and its launch', async () => {
    const config = await load(echo());
    const [first] = entriesOf(config).values();
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    const [again] = entriesOf(await load(echo())).values();
    const [changed] = entriesOf(await load(echo('bye'))).values();
    const [elsewhere] = entriesOf(await load(echo(), { folder: 'clone' })).values();
    const ofUser = { ...config, servers: config.servers.map((server) => ({ ...server, layer: 'user' as const })) };
    const [user] = entriesOf(ofUser).values();
    expect(again).toBe(first);
    expect(new Set([first, changed, elsewhere, user]).size).toBe(4);
    const [alsoUser] = entriesOf({
      ...ofUser,
      ...(await load(echo(), { folder: 'clone' })),
      servers: ofUser.servers,
    }).values();
    expect(alsoUser).toBe(user);
    expect(launchesToConfirm(ofUser, place()).size).toBe(0);
  });
});

describe('the store of consent', () => {
  const launch = (directory: string, server: string): LaunchToConfirm => ({
    ...{
      server,
      directory,
      file: `${directory}/f.yaml`,
      line: 2,
      digest: `${directory} ${server}`,
      isRemote: false,
      lines: ['runs     x'],
    },
  });
  const folder = () => join(home, 'state', 'consent');

  test('stores a file per launch, lists them by directory and server, and removes those of a directory', async () => {
    const store = createConsentStore(join(home, 'state'));
    await store.add([launch('/b', 'one'), launch('/a', 'two'), launch('/a', 'one')]);
    await store.add([]);
    expect(store.has(launch('/a', 'two'))).toBe(true);
    expect(store.has(launch('/a', 'three'))).toBe(false);
    const names = await readdir(folder());
    expect(names).toHaveLength(3);
    for (const name of names) expect(name).toMatch(/^[0-9a-f]{64}\.json$/);
    const texts = await Promise.all(names.map((name) => readFile(join(folder(), name), 'utf8')));
    expect(texts.every((text) => text.endsWith('}\n'))).toBe(true);
    expect((await store.list()).map(({ directory, server }) => `${directory} ${server}`)).toEqual([
      '/a one',
      '/a two',
      '/b one',
    ]);
    expect((await store.remove('/a')).map(({ server }) => server).toSorted()).toEqual(['one', 'two']);
    expect(store.has(launch('/a', 'one'))).toBe(false);
    expect(await store.list()).toMatchObject([
      { directory: '/b', server: 'one', file: '/b/f.yaml', lines: ['runs     x'] },
    ]);
    expect(await store.remove('/a')).toEqual([]);
  });

  test('lists all of a directory together', async () => {
    const store = createConsentStore(join(home, 'state'));
    await store.add([launch('/app2', 'a'), launch('/app', 'z'), launch('/app2', 'b'), launch('/app', '1')]);
    expect((await store.list()).map(({ directory, server }) => `${directory} ${server}`)).toEqual([
      '/app 1',
      '/app z',
      '/app2 a',
      '/app2 b',
    ]);
  });

  test('removes concurrently', async () => {
    const store = createConsentStore(join(home, 'state'));
    await store.add([launch('/a', 'one')]);
    await Promise.all([store.remove('/a'), store.remove('/a')]);
    expect(await store.list()).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('stores files that others cannot read', async () => {
    await createConsentStore(join(home, 'state')).add([launch('/a', 'one')]);
    const [name = ''] = await readdir(folder());
    const modes = [(await stat(folder())).mode, (await stat(join(folder(), name))).mode];
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o600]);
  });

  test('leaves no draft after a failed write', async () => {
    const store = createConsentStore(join(home, 'state'));
    await store.add([launch('/a', 'one')]);
    const names = await readdir(folder());
    for (const name of names) {
      await rm(join(folder(), name));
      await mkdir(join(folder(), name));
    }
    await expect(store.add([launch('/a', 'one')])).rejects.toThrow('Your consent cannot be stored');
    expect(await readdir(folder())).toEqual(names);
    expect(await store.list()).toEqual([]);
  });

  test('skips files with other content', async () => {
    const store = createConsentStore(join(home, 'state'));
    await store.add([launch('/a', 'one')]);
    const [name = ''] = await readdir(folder());
    const whole = JSON.parse(await readFile(join(folder(), name), 'utf8'));
    const others: Readonly<Record<string, string>> = {
      [`${'0'.repeat(64)}.json`]: 'no JSON',
      [`${'1'.repeat(64)}.json`]: 'null',
      [`${'2'.repeat(64)}.json`]: JSON.stringify({ ...whole, server: 5 }),
      [`${'3'.repeat(64)}.json`]: JSON.stringify({ ...whole, lines: 'x' }),
      [`${'6'.repeat(64)}.json`]: JSON.stringify({ ...whole, lines: ['x', 5] }),
      [`${'4'.repeat(64)}.json.draft`]: JSON.stringify(whole),
      [`draft-${'5'.repeat(64)}.json`]: JSON.stringify(whole),
    };
    for (const [file, text] of Object.entries(others)) await writeFile(join(folder(), file), text);
    expect(await store.list()).toEqual([whole]);
    expect(await store.remove('/a')).toEqual([whole]);
    expect((await readdir(folder())).toSorted()).toEqual(Object.keys(others).toSorted());
  });

  test('without a directory stores nothing and names a remedy', async () => {
    const store = createConsentStore(undefined);
    expect(store.has(launch('/a', 'one'))).toBe(false);
    expect([await store.list(), await store.remove('/a')]).toEqual([[], []]);
    await expect(store.add([launch('/a', 'one')])).rejects.toMatchObject({
      code: 'consent-not-stored',
      message: 'There is no directory to store your consent in. Set HOME.',
    });
    await expect(store.add([])).resolves.toBeUndefined();
  });

  test('that cannot be written reports path and reason', async () => {
    await writeFile(join(home, 'file'), '');
    const store = createConsentStore(join(home, 'file'));
    await expect(store.add([launch('/a', 'one')])).rejects.toMatchObject({
      code: 'consent-not-stored',
      message: `Your consent cannot be stored in ${join(home, 'file', 'consent')}: ENOTDIR. Make its directory writable.`,
      cause: { code: 'ENOTDIR' },
    });
    // Windows finds nothing below a file.
    const listed = store.list().catch(({ code }) => code);
    expect(await listed).toEqual(process.platform === 'win32' ? [] : 'ENOTDIR');
    expect(await createConsentStore(join(home, 'nowhere')).list()).toEqual([]);
  });
});

describe('the gate', () => {
  async function gateOf(servers: string, options: Partial<ConsentGateOptions> = {}) {
    const config = await load(servers);
    const store = createConsentStore(join(home, 'state'));
    const gate = createConsentGate(config, { ...place(), store, ...options });
    const confirm = (of = config, signal = new AbortController().signal) =>
      Promise.all(launchesIn(of).map((launch) => gate.confirm(launch, { signal })));
    return { config, store, gate, confirm };
  }

  test('refuses a launch without consent, and allows it afterwards', async () => {
    const { config, store, gate, confirm } = await gateOf(echo());
    expect(gate.isWaiting('echo')).toBe(true);
    expect(gate.isWaiting('other')).toBe(false);
    await expect(confirm()).rejects.toThrow('you have not given consent to what it runs');
    await store.add([await onlyLaunch(config)]);
    expect(gate.isWaiting('echo')).toBe(false);
    expect(await confirm()).toEqual([true]);
  });

  test('trusts all current launches and stores nothing', async () => {
    const { store, confirm, gate } = await gateOf(echo(), { trusted: 'all' });
    expect(await confirm()).toEqual([true]);
    expect(await store.list()).toEqual([]);
    const next = await load(echo('bye'));
    gate.switchTo(next).done();
    await expect(confirm(next)).rejects.toThrow('you have not given consent');
    const { confirm: without } = await gateOf(echo(), { trusted: [] });
    await expect(without()).rejects.toThrow('you have not given consent');
  });

  test('trusts launches by their keys, and those of named servers', async () => {
    const servers = `${echo()}\n  other: { command: deno }`;
    const { gate } = await gateOf(servers, { trusted: 'all' });
    expect(gate.trusted).toHaveLength(2);
    const { confirm, gate: later } = await gateOf(servers, { trusted: gate.trusted });
    expect(await confirm()).toEqual([true, true]);
    expect(later.trusted).toEqual(gate.trusted);

    const { gate: one } = await gateOf(servers);
    one.trust(['other']);
    expect([one.isWaiting('echo'), one.isWaiting('other')]).toEqual([true, false]);
    one.trust();
    expect(one.isWaiting('echo')).toBe(false);
  });

  test('says that a server at an address is connected to', async () => {
    const { confirm } = await gateOf('  web: { url: https://example.com/mcp }');
    await expect(confirm()).rejects.toThrow('you have not given consent to connect to it');
  });

  test('lets a server of the user start', async () => {
    const { config, confirm } = await gateOf('  web: { url: https://example.com/mcp }', { userDirectory: home });
    expect(await confirm(config)).toEqual([true]);
  });

  test('names the servers whose launch is unchanged but whose entry lacks consent', async () => {
    const entry = (rest: string, more = '') => load(`  echo: { command: node${rest} }\n  same: { command: x }${more}`);
    const before = await entry('');
    const store = createConsentStore(join(home, 'state'));
    const gate = createConsentGate(before, { ...place(), store, trusted: 'all' });
    const checked = await entry(', health_check: { method: tool_call, tool: x }', '\n  added: { command: y }');
    const turn = gate.switchTo(checked);
    expect(turn.withdrawn()).toEqual(['echo']);
    turn.done();
    await store.add([...launchesToConfirm(checked, place()).values()]);
    expect(gate.switchTo(checked).withdrawn()).toEqual([]);
    expect(gate.switchTo(await entry(', args: [z]')).withdrawn()).toEqual([]);
  });

  test('refuses a launch that differs from the config, even with consent to everything', async () => {
    const { confirm } = await gateOf(echo(), { trusted: 'all' });
    await expect(confirm(await load(echo('bye')))).rejects.toThrow('its launch differs from the config');
  });

  test('prompts once per launch, one at a time, and stores the answer', async () => {
    const asked: string[] = [];
    let open = 0;
    const { store, gate, confirm } = await gateOf(`${echo()}\n  other: { command: deno }`, {
      ask: async ({ server }) => {
        expect(++open).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        open--;
        asked.push(server);
        return server === 'echo';
      },
    });
    const results = await Promise.allSettled([confirm(), confirm()]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(asked.filter((server) => server === 'echo')).toHaveLength(1);
    await expect.poll(() => asked.filter((server) => server === 'other').length).toBe(2);
    expect((await store.list()).map(({ server }) => server)).toEqual(['echo']);
    expect([gate.isWaiting('echo'), gate.isWaiting('other')]).toEqual([false, true]);
  });

  test('continues all starts of one server after one answer', async () => {
    let asked = 0;
    const { confirm } = await gateOf(echo(), { ask: async () => ++asked === 1 });
    expect(await Promise.all([confirm(), confirm(), confirm()])).toEqual([[true], [true], [true]]);
    expect(asked).toBe(1);
  });

  test('skips the prompt of an aborted start and continues with the next one', async () => {
    const asked: string[] = [];
    const { confirm } = await gateOf(echo(), {
      ask: async ({ server }) => {
        asked.push(server);
        return true;
      },
    });
    const reason = new Error('given up');
    await expect(confirm(undefined, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(asked).toEqual([]);
    expect(await confirm()).toEqual([true]);
    expect(asked).toEqual(['echo']);
  });

  test('allows launches of the previous config until all servers have the next one', async () => {
    const { config, gate, confirm } = await gateOf(echo(), { trusted: 'all' });
    const next = await load(echo('bye'));
    const turning = gate.switchTo(next);
    gate.trust();
    expect([await confirm(config), await confirm(next)]).toEqual([[true], [true]]);
    turning.done();
    expect(await confirm(next)).toEqual([true]);
    await expect(confirm(config)).rejects.toThrow('its launch differs from the config');

    const [later, last] = [await load(echo('later')), await load(echo('last'))];
    const transitions = [gate.switchTo(later), gate.switchTo(last)];
    gate.trust();
    transitions[1]?.done();
    expect([await confirm(next), await confirm(last)]).toEqual([[true], [true]]);
    await expect(confirm(later)).rejects.toThrow('its launch differs from the config');
    transitions[0]?.done();
    await expect(confirm(next)).rejects.toThrow('its launch differs from the config');
    gate.switchTo(next).done();

    const undone = gate.switchTo(config);
    undone.undo();
    expect(await confirm(next)).toEqual([true]);
    await expect(confirm(config)).rejects.toThrow('its launch differs from the config');
  });
});
