import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { daemonPaths, type Place } from '../../src/daemon/locate-daemon.js';

const id = '0123456789abcdef';
const nonce = 'ab'.repeat(16);
const linux: Place = { platform: 'linux', env: {}, userId: 1_000, stateDirectory: '/home/me/.local/share/mcpx' };

describe('the paths of a daemon', () => {
  test('prefer the runtime directory of the user, except for the log', () => {
    const paths = daemonPaths(id, { ...linux, env: { XDG_RUNTIME_DIR: '/run/user/1000' } });
    expect(paths).toMatchObject({
      privateDirectories: ['/run/user/1000/mcpx', `/run/user/1000/mcpx/${id}`],
      stateFile: `/run/user/1000/mcpx/${id}/state.json`,
      logFile: `/home/me/.local/share/mcpx/daemon/${id}.log`,
    });
    expect(paths.socketPath(nonce)).toBe(`/run/user/1000/mcpx/${id}/abababababab.sock`);
  });

  test.each([
    ['there is none', {}],
    ['it is relative', { XDG_RUNTIME_DIR: 'run' }],
    ['it is empty', { XDG_RUNTIME_DIR: '' }],
  ])('use the state directory when %s', (_case, env) => {
    expect(daemonPaths(id, { ...linux, env }).directory).toBe(`/home/me/.local/share/mcpx/run/${id}`);
  });

  test('require a directory, with a hint', () => {
    const nowhere: Place = { ...linux, stateDirectory: undefined };
    expect(() => daemonPaths(id, nowhere)).toThrow(
      expect.objectContaining({ code: 'daemon-start-failed', hint: expect.stringContaining('HOME') }),
    );
  });

  test('name an unguessable pipe on Windows', () => {
    const windows: Place = {
      platform: 'win32',
      env: { XDG_RUNTIME_DIR: '/run' },
      userId: undefined,
      stateDirectory: 'C:\\Users\\me\\mcpx',
    };
    const paths = daemonPaths(id, windows);
    expect(paths.socketPath(nonce)).toBe(`\\\\.\\pipe\\mcpx-${id}-${nonce}`);
    expect(paths.stateFile).toBe(`C:\\Users\\me\\mcpx\\run\\${id}\\state.json`);
  });

  test('keep the socket path short for a long home directory, and check its directory', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (name) => {
        const paths = daemonPaths(id, { ...linux, stateDirectory: `/home/${name.replaceAll(/[/.\0]/g, '_')}` });
        const socket = paths.socketPath(nonce);
        expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(100);
        expect(paths.privateDirectories).toContain(paths.socketDirectory);
        expect(socket.startsWith(`${paths.socketDirectory}/`)).toBe(true);
        const file = socket.slice(`${paths.socketDirectory}/`.length);
        expect(paths.isSocketName(file)).toBe(true);
        expect(paths.isSocketName(`x${file}`)).toBe(false);
      }),
    );
  });
});
