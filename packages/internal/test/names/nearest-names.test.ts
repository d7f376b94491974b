import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NearestNames, nearestName } from '../../src/names/nearest-names.js';

const keys = ['command', 'url', 'timeout_seconds', 'git', 'filesystem'];

describe('the nearest name', () => {
  test.each([
    ['comand', 'command'],
    ['COMMAND', 'command'],
    ['gti', 'git'],
    ['timeout', 'timeout_seconds'],
    ['filesystems', 'filesystem'],
    ['file-system', 'filesystem'],
    ['x', undefined],
    ['database', undefined],
    ['', undefined],
    ['c'.repeat(1_000_000), undefined],
  ])('of %.12s is %s', (name, expected) => {
    expect(nearestName(name, keys)).toBe(expected);
  });

  test.each([
    ['fils', ['web', 'files'], 'files'],
    ['Files', ['files'], 'files'],
    ['fiels', ['files'], 'files'],
    ['filesystem', ['memory', 'git'], undefined],
    ['git', [], undefined],
  ])('of %s among %j is %s', (wanted, names, expected) => {
    expect(nearestName(wanted, names)).toBe(expected);
  });

  test('of a name that is there is the name itself', () => {
    const name = fc.stringMatching(/^[a-z][a-z_]{1,10}$/);
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1 }), fc.nat(), (names, at) => {
        const wanted = names[at % names.length] as string;
        expect(nearestName(wanted, names)?.replace(/_+/g, '_')).toBe(wanted.replace(/_+/g, '_'));
      }),
    );
  });

  test('does not depend on the order of the candidates', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '_'), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(word, fc.array(word), (wanted, names) => {
        expect(nearestName(wanted, names)).toBe(nearestName(wanted, names.toReversed()));
      }),
    );
  });
});

describe('the nearest names', () => {
  test('are the nearest first, each once, and no more than asked for', () => {
    const nearest = new NearestNames('read_fil', 2);
    nearest.offer('mcp__files__write_file', 'write_file');
    nearest.offer('mcp__files__read_file');
    nearest.offer('mcp__files__read_file', 'read_file');
    nearest.offer('mcp__files__read_files', 'read_files');
    expect(nearest.best()).toEqual(['mcp__files__read_file', 'mcp__files__read_files']);
  });

  test('of many names that are far away take little time', { timeout: 2_000 }, () => {
    const nearest = new NearestNames('read_text_file', 3);
    for (let n = 0; n < 100_000; n++) nearest.offer(`mcp__server_${n}__tool_with_a_long_name_${n}`);
    expect(nearest.best()).toEqual([]);
  });

  test('of names that are long themselves are found by their beginning', { timeout: 2_000 }, () => {
    const long = 'read_text_file_'.repeat(10_000);
    const nearest = new NearestNames(long, 1);
    for (let n = 0; n < 100; n++) nearest.offer(`${long}${n}`);
    expect(nearest.best()).toHaveLength(1);
  });
});
