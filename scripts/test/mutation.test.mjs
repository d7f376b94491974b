import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { describe, expect, test } from 'vitest';
import { equivalent } from '../mutation/equivalent.mjs';
import { groups } from '../mutation/groups.mjs';
import { scoreOf } from '../mutation/score.mjs';
import { root } from '../root.mjs';

const source = 'if (a > b) return 1;\n  return two(\n    a,\n  );\n';
const mutant = (status, replacement, line = 1) => ({
  status,
  replacement,
  location: { start: { line, column: 5 }, end: { line, column: 10 } },
});
const report = (...mutants) => ({ files: { 'a.ts': { source, mutants } } });
const listed = { file: 'a.ts', line: 'if (a > b) return 1;', change: 'a >= b', reason: 'a is never b' };

describe('the score of a group', () => {
  test('is the share of changes that a test notices, a test that no longer ends included', () => {
    const { killed, counted } = scoreOf(
      report(
        mutant('Killed', 'true'),
        mutant('Timeout', 'false'),
        mutant('Survived', 'a >= b'),
        mutant('NoCoverage', 'a < b'),
      ),
      [],
    );
    expect([killed, counted]).toEqual([2, 4]);
  });

  test('leaves out what is no program', () => {
    expect(
      scoreOf(report(mutant('Killed', 'true'), mutant('CompileError', 'x'), mutant('Ignored', 'y')), []).counted,
    ).toBe(1);
  });

  test('names each survivor with its place, its code and the change', () => {
    expect(scoreOf(report(mutant('Survived', 'a >= b')), []).survivors).toMatchObject([
      { place: 'a.ts:1:5', code: 'a > b', change: 'a >= b' },
    ]);
  });

  test('leaves out a change that is listed as equivalent', () => {
    const { counted, survivors, stale } = scoreOf(report(mutant('Killed', 'true'), mutant('Survived', 'a >= b')), [
      listed,
    ]);
    expect([counted, survivors, stale]).toEqual([1, [], []]);
  });

  test('names an entry of that list that a test notices after all, and no entry of another file', () => {
    const other = { ...listed, file: 'b.ts' };
    expect(scoreOf(report(mutant('Killed', 'a >= b')), [listed, other]).stale).toEqual([listed]);
  });
});

test.each(Object.entries(groups))('the sources and tests of %s are there', (_name, { mutate, tests }) => {
  for (const pattern of [...mutate, ...tests]) expect(globSync(pattern, { cwd: root }), pattern).not.toEqual([]);
});

test('each change that is listed as equivalent has a reason, and is in a group', () => {
  const files = new Set(Object.values(groups).flatMap(({ mutate }) => globSync(mutate, { cwd: root })));
  for (const { file, reason } of equivalent) {
    expect(reason.length).toBeGreaterThan(10);
    expect(files.has(file), file).toBe(true);
  }
});

test('the workflow tries every group', () => {
  const workflow = readFileSync(join(root, '.github/workflows/mutation.yml'), 'utf8');
  expect(/group: \[(.*)\]/.exec(workflow)?.[1].split(', ')).toEqual(Object.keys(groups));
});
