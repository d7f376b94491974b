import { expect, test } from 'vitest';
import { pythonPlaces } from '../../src/extension/gather-facts.js';

const places = (folders: readonly string[], platform: string, env: Record<string, string> = {}) =>
  pythonPlaces(folders, { platform, env }).map(({ python, onlyWith }) =>
    onlyWith === undefined ? python : `${python} with ${onlyWith}`,
  );

test('the extension comes before the project, and .venv before venv', () => {
  expect(places(['/ext', '/app'], 'darwin')).toEqual([
    '/ext/.venv/bin/python',
    '/ext/.venv/bin/python3',
    '/ext/venv/bin/python',
    '/ext/venv/bin/python3',
    '/app/.venv/bin/python',
    '/app/.venv/bin/python3',
    '/app/venv/bin/python',
    '/app/venv/bin/python3',
  ]);
});

test('on Windows the program is in Scripts', () => {
  expect(places(['C:\\ext'], 'win32')).toEqual([
    'C:\\ext\\.venv\\Scripts\\python.exe',
    'C:\\ext\\venv\\Scripts\\python.exe',
  ]);
});

test('the environment chosen for uv comes first, in uv projects', () => {
  expect(places(['/ext'], 'linux', { UV_PROJECT_ENVIRONMENT: '.uv-env' }).slice(0, 3)).toEqual([
    '/ext/.uv-env/bin/python with /ext/uv.lock',
    '/ext/.uv-env/bin/python3 with /ext/uv.lock',
    '/ext/.venv/bin/python',
  ]);
  expect(places(['C:\\ext'], 'win32', { UV_PROJECT_ENVIRONMENT: 'D:\\envs\\a' })[0]).toBe(
    'D:\\envs\\a\\Scripts\\python.exe with C:\\ext\\uv.lock',
  );
  expect(places(['/ext'], 'linux', { UV_PROJECT_ENVIRONMENT: '' })[0]).toBe('/ext/.venv/bin/python');
});
