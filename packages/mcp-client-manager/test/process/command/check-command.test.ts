import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkCommand } from '../../../src/process/command/check-command.js';
import { temporaryDirectory } from '../../helpers/processes.js';

describe.skipIf(process.platform === 'win32')('a command', () => {
  async function program(path: string, { mode = 0o755, text = '#!/bin/sh\n' } = {}): Promise<string> {
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, text);
    await chmod(path, mode);
    return path;
  }

  test('that is on PATH is found, and a PATH that the server declares wins', async () => {
    const folder = await temporaryDirectory();
    const file = await program(join(folder, 'tool'));
    expect(await checkCommand({ command: 'tool', environment: { PATH: `/nowhere:${folder}` } })).toEqual({
      status: 'found',
      file,
    });
    expect(
      await checkCommand({ command: 'tool', env: { PATH: '/nowhere' }, environment: { PATH: folder } }),
    ).toMatchObject({ status: 'command-not-found' });
  });

  test('that is nowhere comes with the way to get it', async () => {
    const environment = { PATH: '/nowhere', HOME: await temporaryDirectory() };
    expect(await checkCommand({ command: 'no-such-tool', environment })).toEqual({
      status: 'command-not-found',
      hint: 'Install it, or give its full path.',
      elsewhere: [],
    });
    expect(await checkCommand({ command: 'deno', environment })).toMatchObject({
      hint: 'Install Deno, which provides it (https://deno.com), or give its full path.',
    });
  });

  test('names the places of version managers, newest first', async () => {
    const HOME = await temporaryDirectory();
    const versions = join(HOME, '.nvm/versions/node');
    const files = [join(versions, 'v22.1.0/bin/some-cli'), join(versions, 'v9.9.0/bin/some-cli')];
    for (const file of files) await program(file);
    const check = await checkCommand({ command: 'some-cli', environment: { PATH: '/nowhere', HOME } });
    expect(check).toEqual({
      status: 'command-not-found',
      hint: `It is not on PATH, but it exists at ${files[0]}: set commandPath: 'login-shell' if your terminal finds it, or give the full path.`,
      elsewhere: files,
    });
    const SHELL = join(HOME, 'none');
    const environment = { PATH: '/nowhere', HOME, SHELL };
    expect(await checkCommand({ command: 'some-cli', environment, commandPath: 'login-shell' })).toMatchObject({
      hint: `It is not on PATH, but it exists at ${files[0]}: give the full path.`,
    });
  });

  test('recognizes a whole command line', async () => {
    expect(await checkCommand({ command: 'npx -y server' })).toMatchObject({
      hint: expect.stringContaining('put only the program into "command"'),
    });
  });

  test('that is a path names the directory that it starts from', async () => {
    const cwd = await temporaryDirectory();
    expect(await checkCommand({ command: './server.py', cwd })).toMatchObject({
      status: 'command-not-found',
      hint: expect.stringContaining(cwd),
    });
    const file = await program(join(cwd, 'server.py'), { mode: 0o644 });
    expect(await checkCommand({ command: './server.py', cwd })).toEqual({
      status: 'command-not-executable',
      file,
      hint: 'Make it executable (chmod +x), or set "command" to "python3" and put the file into "args".',
    });
  });

  test('cannot run in a directory that is none', async () => {
    const file = await program(join(await temporaryDirectory(), 'file'));
    for (const cwd of [file, `${file}/below`, '/no/such/directory']) {
      expect(await checkCommand({ command: 'sh', cwd })).toEqual({
        status: 'directory-not-found',
        hint: 'Create it or change "cwd".',
      });
    }
  });

  test('is searched on the PATH of the login shell, which runs once', async () => {
    const folder = await temporaryDirectory();
    const file = await program(join(folder, 'bin/tool'));
    // Prints what an interactive shell prints, has a PATH of its own, and runs what it was given.
    const text = `#!/bin/sh\necho asked >> ${folder}/log\necho Welcome\nPATH=${folder}/bin:$PATH exec /bin/sh -c "$4"\n`;
    const SHELL = await program(join(folder, 'shell'), { text });
    const query = {
      command: 'tool',
      environment: { SHELL, PATH: '/usr/bin:/bin' },
      commandPath: 'login-shell',
    } as const;
    const checks = await Promise.all([checkCommand(query), checkCommand(query), checkCommand(query)]);
    expect(checks).toEqual(Array(3).fill({ status: 'found', file }));
    expect(await readFile(`${folder}/log`, 'utf8')).toBe('asked\n');
  });

  test.each<[habit: string, text: string | undefined]>([
    ['is missing', undefined],
    ['says nothing', '#!/bin/sh\nexit 0\n'],
    ['fails', '#!/bin/sh\nexit 7\n'],
    ['says something else', '#!/bin/sh\necho /opt/bin\n'],
  ])('is looked for on the PATH of the host when the login shell %s', async (_, text) => {
    const folder = await temporaryDirectory();
    const SHELL = join(folder, 'shell');
    if (text !== undefined) await program(SHELL, { text });
    const file = await program(join(folder, 'bin/tool'));
    const environment = { SHELL, PATH: join(folder, 'bin') };
    expect(await checkCommand({ command: 'tool', environment, commandPath: 'login-shell' })).toEqual({
      status: 'found',
      file,
    });
  });

  test('is searched on the PATH of the host when the login shell never ends', async () => {
    const folder = await temporaryDirectory();
    const SHELL = await program(join(folder, 'shell'), {
      text: '#!/bin/sh\ntrap "" TERM\nwhile :; do sleep 1; done\n',
    });
    const check = await checkCommand({
      command: 'sh',
      environment: { SHELL, PATH: '/bin' },
      commandPath: 'login-shell',
    });
    expect(check).toEqual({ status: 'found', file: '/bin/sh' });
  });
});

test.skipIf(process.platform === 'win32')('without any PATH the system has places of its own', async () => {
  expect(await checkCommand({ command: 'sh', environment: {} })).toEqual({ status: 'found', file: '/bin/sh' });
});

test('no command is a mistake in the call', async () => {
  await expect(checkCommand({ command: '' })).rejects.toThrow(TypeError);
});
