import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expectNoLeaks } from '@x/test-servers';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { isManagerError, type ManagerError } from '../../src/errors.js';
import type { ProcessRequest } from '../../src/process/process-owner.js';
import { isDeterministic, isExhaustion, spawnError } from '../../src/process/spawn-error.js';
import { processHost, startProcess, temporaryDirectory } from '../helpers/processes.js';

beforeEach(() => onTestFinished(expectNoLeaks));

async function refusalOf(command: string, extras: Partial<ProcessRequest> = {}): Promise<ManagerError> {
  const error = await startProcess(processHost(), command, [], extras).catch((reason: unknown) => reason);
  if (!isManagerError(error)) throw new Error(`Expected a ManagerError, got ${String(error)}`);
  return error;
}

describe.skipIf(process.platform === 'win32')('a launch that is refused', () => {
  test('for a missing command names the command and the remedy', async () => {
    expect(await refusalOf('no-such-command-anywhere')).toMatchObject({
      code: 'command-not-found',
      server: 'server',
      message:
        'Server "server" cannot start: the command "no-such-command-anywhere" was not found. Install it, or give its full path.',
      cause: { code: 'ENOENT' },
    });
  });

  test('for a command that is only elsewhere says where', async () => {
    const HOME = await temporaryDirectory();
    await mkdir(join(HOME, '.local/bin'), { recursive: true });
    const file = join(HOME, '.local/bin/only-there');
    await writeFile(file, '#!/bin/sh\n', { mode: 0o755 });
    const host = processHost({ environment: { PATH: '/usr/bin:/bin', HOME } });
    await expect(startProcess(host, 'only-there', [])).rejects.toMatchObject({
      code: 'command-not-found',
      message: expect.stringContaining(`it exists at ${file}: set commandPath: 'login-shell'`),
    });
  });

  test('for a file that may not be executed names it', async () => {
    const file = join(await temporaryDirectory(), 'server.py');
    await writeFile(file, '#!/bin/sh\n');
    await chmod(file, 0o644);
    expect(await refusalOf(file)).toMatchObject({
      code: 'command-not-executable',
      message: `Server "server" cannot start: the file "${file}" may not be executed. Make it executable (chmod +x), or set "command" to "python3" and put the file into "args".`,
    });
  });

  test('for a script without its interpreter says so', async () => {
    const file = join(await temporaryDirectory(), 'script');
    await writeFile(file, '#!/no/such/interpreter\n', { mode: 0o755 });
    expect(await refusalOf(file)).toMatchObject({
      code: 'command-not-found',
      message: expect.stringContaining('the interpreter in its first line was not found'),
    });
  });

  test('for a directory that is none names it', async () => {
    expect(await refusalOf('sh', { cwd: '/no/such/directory' })).toMatchObject({
      code: 'directory-not-found',
      message:
        'Server "server" cannot start: its working directory /no/such/directory is not a directory. Create it or change "cwd".',
    });
  });
});

describe.skipIf(process.platform === 'win32')('a launch that no attempt can start', () => {
  test('for a launch that is too large names the remedy', async () => {
    const error = await refusalOf('true', { env: { LONG: 'x'.repeat(2 ** 18) } });
    expect(error).toMatchObject({ code: 'spawn-failed', cause: { code: 'E2BIG' } });
    expect(error.message).toMatch(/larger than the system allows \(E2BIG\)\. Pass long values in a file\.$/);
    expect(isDeterministic(error.cause)).toBe(true);
    expect(isDeterministic(error)).toBe(false);
  });

  test.each([
    ['env.TOKEN', { env: { TOKEN: 'sesame\0' } }],
    ['cwd', { cwd: '/tmp/sesame\0' }],
  ])('for a NUL names %s and not its value', async (place, extras) => {
    const error = await refusalOf('true', extras);
    expect(error).toMatchObject({ code: 'spawn-failed', cause: { code: 'ERR_INVALID_ARG_VALUE' } });
    expect(error.message).toBe(
      `Server "server" cannot start: "${place}" contains a NUL character, which no system accepts. Remove it.`,
    );
    expect(inspect(error)).not.toContain('sesame');
  });
});

test.each(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'])(
  'a host that is out of room (%s) is not taken for a missing command',
  (code) => {
    const cause = Object.assign(new Error(`spawn ${code}`), { code });
    const launch = { server: 'git', command: 'git-server', cwd: undefined };
    const error = spawnError(cause, launch, { status: 'command-not-found', hint: '', elsewhere: [] });
    expect(error).toMatchObject({ code: 'spawn-failed', cause: { code } });
    expect(isExhaustion(cause)).toBe(true);
    expect(isExhaustion(error)).toBe(false);
  },
);
