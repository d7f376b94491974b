import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { statements } from './row.js';

const root = new URL('../../../../', import.meta.url);
const here = new URL('./', import.meta.url);
const code = readdirSync(here)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(new URL(name, here), 'utf8'))
  .join('');
const tested = Array.from(code.matchAll(/^row\((\d+),/gm), ([, number]) => Number(number));

test('there is one row per statement', () => {
  expect(statements.map(({ number }) => number)).toEqual(Array.from({ length: 190 }, (_, index) => index + 1));
});

test('each statement that holds is shown by one test', () => {
  expect(tested.length).toBe(new Set(tested).size);
  const holds = statements.filter(({ otherwise }) => otherwise === undefined);
  expect(holds.filter(({ number, shownBy }) => tested.includes(number) === (shownBy !== undefined))).toEqual([]);
});

test('each sample of the documents is run', () => {
  const samples = readdirSync(new URL('fixtures/', here), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.includes('.'));
  expect(samples.length).toBeGreaterThan(20);
  expect(samples.filter((path) => !code.includes(`sample('${path}')`))).toEqual([]);
});

test('tests of other suites that show a statement exist', () => {
  const elsewhere = statements.flatMap(({ shownBy }) => shownBy ?? []);
  expect(elsewhere.length).toBeGreaterThan(0);
  for (const { file, text } of elsewhere) expect(readFileSync(new URL(file, root), 'utf8'), file).toContain(text);
});

test('what is done otherwise has a reason, and says what there is instead', () => {
  for (const { otherwise, instead } of statements) {
    expect(otherwise === undefined).toBe(instead === undefined);
    if (otherwise === undefined) continue;
    expect(existsSync(new URL(`docs/decisions/${otherwise.replace(/#.*/, '')}`, root)), otherwise).toBe(true);
  }
});
