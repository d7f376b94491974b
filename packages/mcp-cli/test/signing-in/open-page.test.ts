import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPage, pageCommand } from '../../src/signing-in/open-page.js';
import { project } from '../helpers/project.js';
import { until } from '../helpers/until.js';

const url = new URL('https://example.com/authorize?a=1&b=$(touch%20x)&c=%25PATH%25');

test('the address is one argument of one program for any content', () => {
  expect(pageCommand(url, { platform: 'darwin', env: {} })).toEqual(['open', url.href]);
  expect(pageCommand(url, { platform: 'win32', env: {} })).toEqual([
    'C:\\Windows\\System32\\rundll32.exe',
    'url.dll,FileProtocolHandler',
    url.href,
  ]);
  expect(pageCommand(url, { platform: 'linux', env: { DISPLAY: ':0' } })).toEqual(['xdg-open', url.href]);
  expect(pageCommand(url, { platform: 'linux', env: { WAYLAND_DISPLAY: 'w' } })).toEqual(['xdg-open', url.href]);
});

test('opens no browser without a display, or for an address that is no web page', async () => {
  expect(pageCommand(url, { platform: 'linux', env: {} })).toBeUndefined();
  expect(pageCommand(new URL('file:///etc/passwd'), { platform: 'darwin', env: {} })).toBeUndefined();
  expect(pageCommand(new URL('javascript:alert(1)'), { platform: 'win32', env: {} })).toBeUndefined();
  expect(await openPage(url, { platform: 'linux', env: {} })).toBe(false);
});

test.runIf(process.platform === 'linux')(
  'the program of the system is run, and one that is missing is no error',
  async () => {
    await using folder = await project({});
    const env = { DISPLAY: ':0', PATH: folder.folder };
    expect(await openPage(url, { platform: 'linux', env })).toBe(false);
    const opened = join(folder.folder, 'opened');
    await writeFile(join(folder.folder, 'xdg-open'), `#!/bin/sh\necho "$# $1" > '${opened}'\n`);
    await chmod(join(folder.folder, 'xdg-open'), 0o755);
    expect(await openPage(url, { platform: 'linux', env })).toBe(true);
    const text = await until(async () => (await readFile(opened, 'utf8').catch(() => '')) || undefined);
    expect(text).toBe(`1 ${url.href}\n`);
  },
);
