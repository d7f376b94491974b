// Promise: where no tool fits, a search says so, and seldom where one does: node bench/search-no.mjs
// Impossible queries are defined in docs/search.md, "Weak results".
import { register } from 'tsx/esm/api';
import { printTable } from './measurement.mjs';

register();
const { judgeQueries, shareOf } = await import('../packages/mcp-registry/test/search/evaluation/impossible.ts');

const SUITES = ['livemcp-agent', 'azure-a', 'livemcp-task', 'metatool-a'];
const FOLDS = 5;
const own = judgeQueries('own');
const answered = own.filter(({ place }) => place >= 0);
const rows = {
  'another field': judgeQueries('otherField'),
  'the field taken away': judgeQueries('fieldGone'),
  'right tool among five: false alarm': answered,
  'right tool first: false alarm': own.filter(({ place }) => place === 0),
};

const percent = (judged, suite, threshold) =>
  judged.some((each) => each.suite === suite) ? shareOf(judged, suite, threshold).toFixed(1) : '–';

printTable('weak, percent of the queries', [
  ['', ...SUITES],
  ...Object.entries(rows).map(([name, judged]) => [name, ...SUITES.map((suite) => percent(judged, suite))]),
]);

const thresholds = Array.from({ length: 16 }, (_, at) => 0.26 + at * 0.02);
for (const suite of SUITES) {
  printTable(`${suite}, by threshold`, [
    ['', ...thresholds.map((threshold) => threshold.toFixed(2))],
    ...Object.entries(rows).map(([name, judged]) => [name, ...thresholds.map((each) => percent(judged, suite, each))]),
  ]);
}

// The threshold of each fold comes from the other folds. A server's queries are in one fold.
const agent = (judged) => judged.filter(({ suite }) => suite === 'livemcp-agent');
const servers = Array.from(new Set(agent(own).map(({ server }) => server))).toSorted();
const foldOf = ({ server }) => servers.indexOf(server) % FOLDS;
const held = Array.from({ length: FOLDS }, (_, fold) => {
  const fits = agent(answered)
    .filter((each) => each.place === 0 && foldOf(each) !== fold)
    .map(({ fit }) => fit)
    .toSorted((a, b) => a - b);
  const threshold = fits[Math.floor(fits.length * 0.02)];
  const inFold = (judged) => agent(judged).filter((each) => foldOf(each) === fold);
  return Object.values(rows).map((judged) => [
    inFold(judged).filter(({ fit }) => fit < threshold).length,
    inFold(judged).length,
  ]);
});
printTable(`livemcp-agent, threshold from other servers, ${FOLDS} folds`, [
  ['', 'weak', 'of', 'percent'],
  ...Object.keys(rows).map((name, row) => {
    const [weak, all] = held.reduce(([a, b], each) => [a + each[row][0], b + each[row][1]], [0, 0]);
    return [name, String(weak), String(all), ((100 * weak) / all).toFixed(1)];
  }),
]);
