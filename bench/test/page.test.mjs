import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { aheadOfUs, aimText, judge, rowsAhead } from '../report/aims.mjs';
import { chartOf } from '../report/chart.mjs';
import { readKept, readKeptOf, writeKept } from '../report/kept.mjs';
import { measurements } from '../report/measurements.mjs';
import { chartPath, putTogether, withoutTags } from '../report/page.mjs';
import { cellsAt, numberIn, readTables } from '../report/tables.mjs';

const output = `
small call, median µs:

|  | median | ratio to sdk |
| --- | --- | --- |
| raw | 18.0 | 0.75 |
| ours | 24.5 | 1.11 |
| sdk | 21.5 | 1.00 |
| fast | 19.8 | 0.90 |

calls/s:

|  | median | ratio to sdk |
| --- | --- | --- |
| ours | 139190 | 1.84 |
| sdk | 74773 | 1.00 |

Node 24.9.0, linux x64, 2 cores; 9 interleaved rounds.
`;
const tables = readTables(output);
const times = { title: 'small call, median µs', column: 'ratio to sdk' };
const perSecond = { title: 'calls/s', column: 'ratio to sdk' };

test('each table is read under its title', () => {
  expect(tables.map(({ title, rows }) => [title, rows.length])).toEqual([
    ['small call, median µs', 4],
    ['calls/s', 2],
  ]);
});

test('a table without a title is the first one, and an escaped bar stays in its cell', () => {
  const [table] = readTables('| | ours |\n| --- | --- |\n| `(a\\|b)` | yes |\n\nSome words.');
  expect(table).toEqual({ title: '', columns: ['', 'ours'], rows: [['`(a\\|b)`', 'yes']] });
});

test('a row is found by the first of its cells, or by several of them', () => {
  const fleets = readTables('| | health | ms |\n| --- | --- | --- |\n| ours | often | 201 |\n| ours | seldom | 4 |');
  expect(cellsAt(fleets, { column: 'ms', rows: [['ours', 'seldom']] })).toEqual([{ label: 'ours', cell: '4' }]);
  expect(cellsAt(fleets, { column: 'ms', rows: ['theirs'] })).toEqual([]);
  expect(cellsAt(fleets, { column: 's' })).toEqual([]);
});

test.each([
  ['1,243', 1243],
  ['0.57 (0.43 – 0.62)', 0.57],
  ['0.007 %', 0.007],
  ['19/19', 1],
  ['9/18', 0.5],
  ['yes, some time later', 1],
  ['no: an error', 0],
  ['kept', Number.NaN],
])('%s says %d', (cell, number) => {
  expect(numberIn(cell)).toBe(number);
});

test('a promise is met when the worst number of each of its places meets the aim', () => {
  const place = { ...times, rows: ['ours'] };
  expect(judge(tables, { atMost: 1.2, places: [place] })).toEqual({ measured: '1.11', verdict: 'met', met: true });
  expect(judge(tables, { atMost: 1.05, places: [place] })).toEqual({
    measured: '1.11',
    verdict: '**not met**',
    met: false,
  });
  expect(judge(tables, { atMost: 1.05, places: [{ ...times, rows: ['fast', 'ours'] }] }).met).toBe(false);
});

test('a promise with several places says in how many it is met', () => {
  const places = [
    { label: 'one', ...perSecond, rows: ['ours'] },
    { label: 'two', ...perSecond, rows: ['sdk'] },
  ];
  expect(judge(tables, { atLeast: 1.5, places })).toEqual({
    measured: 'one: 1.84; two: 1.00',
    verdict: '**met in 1 of 2**',
    met: false,
  });
});

test('a number that is not there meets nothing', () => {
  const gone = { title: 'big result, ms', column: 'ratio to sdk', rows: ['ours'] };
  expect(judge(tables, { atMost: 9, places: [gone] })).toEqual({
    measured: '–',
    verdict: 'not measured',
    met: undefined,
  });
});

test('an aim is said in its unit, or in its own words', () => {
  expect(aimText({ atMost: 3_000, unit: 'bytes a tool' })).toBe('at most 3,000 bytes a tool');
  expect(aimText({ atLeast: 1, aim: 'all files' })).toBe('all files');
});

test('peers that did better than ours are named; bounds are none', () => {
  const own = { ours: ['ours'], leaveOut: ['raw'] };
  expect(aheadOfUs(tables, { ...times, ...own, better: 'less' })).toEqual([
    'sdk 1.00 (ours 1.11)',
    'fast 0.90 (ours 1.11)',
  ]);
  expect(aheadOfUs(tables, { ...perSecond, ...own, better: 'more' })).toEqual([]);
  expect(aheadOfUs(tables, { ...times, ours: ['ours'], peers: ['fast'], better: 'less' })).toEqual([
    'fast 0.90 (ours 1.11)',
  ]);
});

test('rows in which the peer took less are named', () => {
  expect(rowsAhead(tables, { title: times.title, ratio: 'ratio to sdk' })).toEqual(['ours 1.11']);
});

test('what is kept is read as it was written', () => {
  const kept = writeKept({ measured: '2026-11-22', commit: undefined, machine: 'a: b' }, output);
  expect(readKept(kept)).toEqual({ facts: { measured: '2026-11-22', machine: 'a: b' }, output: output.trim() });
});

test('only what is outside of code loses its tags', () => {
  expect(withoutTags('| start <Tab> | `a<b` |')).toBe('| start &lt;Tab> | `a<b` |');
});

test('the page says what holds, what does not, who is ahead, and what was never measured', () => {
  const measured = {
    name: 'calls',
    title: 'Calling a tool',
    about: 'Beside the SDK.',
    aims: [{ says: 'As fast as the SDK', atMost: 1.05, unit: '×', places: [{ ...times, rows: ['ours'] }] }],
    behind: [{ ...times, better: 'less', ours: ['ours'], leaveOut: ['raw'] }],
    charts: [{ heading: 'Calls', ...times, better: 'less' }],
  };
  const never = { name: 'idle', title: 'Idle', about: 'Nothing happens.' };
  const long = { name: 'soak', title: 'Ten minutes', about: 'Long.', apart: true };
  const facts = { measured: '2026-11-22', command: 'node bench/calls.mjs', machine: 'a machine' };
  const page = putTogether([measured, never, long], new Map([['calls', { facts, output }]]));

  expect(page).toContain('| [As fast as the SDK](#calling-a-tool) | at most 1.05 × | 1.11 | **not met** |');
  expect(page).toContain('- small call, median µs, ratio to sdk: sdk 1.00 (ours 1.11), fast 0.90 (ours 1.11)');
  expect(page).toContain('*Measured 2026-11-22 with `node bench/calls.mjs`; a machine.*');
  expect(page).toContain('![Chart: Calling a tool](images/benchmarks/calls.svg)');
  expect(page).toContain('Not measured yet: `node bench/all.mjs --only idle`.');
  expect(page).not.toContain('Ten minutes');
});

test('docs/benchmarks.md is what the kept results make', () => {
  const all = measurements.map(({ name }) => [name, readKeptOf(name)]);
  const page = putTogether(measurements, new Map(all.filter(([, kept]) => kept !== undefined)));
  const written = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8');
  expect(page === written ? 'the same' : 'another: run node bench/all.mjs --page').toBe('the same');
});

test('a chart has a bar for each contender, as long as its number is large, and leaves out the named ones', () => {
  const chart = {
    heading: 'Calls',
    title: 'small call, median µs',
    column: 'median',
    better: 'less',
    leaveOut: ['fast'],
  };
  const svg = chartOf({ name: 'calls', title: 'Calling', charts: [chart], bounds: ['raw'] }, tables);
  const bars = Array.from(svg.matchAll(/<rect class="(\w+)" x="[^"]+" y="[^"]+" width="([\d.]+)" height="13"/g));
  const [raw, ours, sdk] = bars.map(([, , width]) => Number(width));
  expect(bars.slice(0, 3).map(([, kind]) => kind)).toEqual(['bound', 'ours', 'peer']);
  expect(raw / ours).toBeCloseTo(18 / 24.5, 2);
  expect(sdk / ours).toBeCloseTo(21.5 / 24.5, 2);
  expect(svg).not.toContain('fast');
});

test('a contender is a row of its table, or a column beside the ratio', () => {
  const sizes = readTables(
    '| | @x/mcp-registry | peer | ratio |\n| --- | --- | --- | --- |\n| bytes | 10 | 20 | 0.50 |',
  );
  const chart = { heading: 'Bytes', row: 'bytes', better: 'less' };
  const svg = chartOf({ name: 'search', title: 'Searching', charts: [chart] }, sizes);
  expect(Array.from(svg.matchAll(/text-anchor="end"[^>]*>([^<]+)</g), ([, label]) => label)).toEqual([
    '@x/mcp-registry',
    'peer',
  ]);
});

test('a chart without a number is a mistake in its description', () => {
  const chart = { heading: 'Calls', title: 'no such table', column: 'median', better: 'less' };
  expect(() => chartOf({ name: 'calls', title: 'Calling', charts: [chart] }, tables)).toThrow(/"Calls" of calls/);
});

test.each(measurements.filter(({ charts }) => charts !== undefined))(
  'the chart of $name is what its kept result makes',
  (each) => {
    const written = readFileSync(new URL(`../../docs/${chartPath(each.name)}`, import.meta.url), 'utf8');
    const made = chartOf(each, readTables(readKeptOf(each.name).output));
    expect(made === written ? 'the same' : 'another: run node bench/all.mjs --page').toBe('the same');
  },
);

test('README shows what becomes of a host as it was last measured', () => {
  const { output: shown } = readKeptOf('faults');
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const rows = shown.split('\n').filter((line) => line.startsWith('|'));
  expect(rows.length).toBeGreaterThan(2);
  expect(rows.filter((row) => !readme.includes(row))).toEqual([]);
});
