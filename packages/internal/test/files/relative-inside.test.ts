import { join, parse, resolve } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { relativeInside } from '../../src/files/relative-inside.js';

const directory = resolve('/srv/app');

test.each([
  ['a/b.json', join('a', 'b.json')],
  ['a/../b.json', 'b.json'],
  ['..b', '..b'],
  ['.../c', join('...', 'c')],
  ['', ''],
  ['.', ''],
  ['a/..', ''],
])('gives the way to %j below the directory', (path, way) => {
  expect(relativeInside(`${directory}/${path}`, directory)).toBe(way);
  expect(relativeInside(`${directory}/${path}`, `${directory}/`)).toBe(way);
});

test.each(['/srv', '/', '/srv/app-evil', '/srv/app/../app-evil/x', '/srv/ap'])('%j is outside', (path) => {
  expect(relativeInside(resolve(path), directory)).toBeUndefined();
});

test('everything is inside the root', () => {
  const { root } = parse(directory);
  expect(relativeInside(directory, root)).toBe(join('srv', 'app'));
});

test.runIf(process.platform === 'win32')('another drive is outside', () => {
  expect(relativeInside('D:\\app\\x', 'C:\\app')).toBeUndefined();
});

test('a path that is inside is the directory and the way joined', () => {
  const segment = fc.constantFrom('a', '..', '.', '..a', 'app', 'app-evil');
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 6 }), (segments) => {
      const path = join(directory, ...segments);
      const way = relativeInside(path, directory);
      if (way === undefined) expect(path === directory || path.startsWith(join(directory, 'a'))).toBe(false);
      else expect(join(directory, way)).toBe(path);
    }),
  );
});
