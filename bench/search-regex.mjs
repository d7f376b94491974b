// Promise: an ordinary regular expression over ten thousand tools takes at most 40 ms, and none much more than its 250 ms.
// Beside the native RegExp over the same texts, which is faster until a pattern makes it run for ever: node bench/search-regex.mjs
import { register } from 'tsx/esm/api';
import { catalogOf } from './catalog.mjs';
import { interleaved, medianOf, numbersFrom, printConditions, printTable, ratioOf, spreadOf } from './measurement.mjs';

register();
const registryFolder = '../packages/mcp-registry';
const { TOOLS } = await import(`${registryFolder}/test/search/evaluation/evaluation-set.ts`);
const { createRegistry } = await import(`${registryFolder}/dist/index.js`);
const { collectParameters } = await import(`${registryFolder}/src/search/index/search-document.ts`);

const SIZE = 10_000;
const { rounds: ROUNDS } = numbersFrom({ rounds: 15 });
const ORDINARY = [
  '^git_',
  'file',
  '\\bpath\\b',
  '(get|list)_[a-z]+s$',
  '(?i)create.*issue',
  '^mcp__.*(delete|remove)',
  '[0-9]{2}',
];
/** Linear in each text, and made to take as long for it as a pattern of that length can. */
const COSTLY = ['[a-m].{20}[n-z]{3}[^ -~]{3}', '.{1,400}[^ -~]', '(?:[a-m].{20}|[b-n].{21}|[c-o].{22}){8}[^ -~]'];
/** For ever, on the native engine, so that it is not asked. */
const ENDLESS = ['(\\w+\\s?)+!$', '(a|aa)+!$', '([a-z]+)*[^ -~]'];

const registry = await openRegistry();
const views = registry.list();
const texts = views.map((view) => [
  view.tool,
  view.name,
  view.server ?? '',
  view.title ?? '',
  (view.description ?? '').slice(0, 1_500),
  ...collectParameters(view.inputSchema).parameters,
]);

const head = ['pattern', 'tools', 'ours, median ms', 'middle half', 'native ms', 'ratio'];
const ordinary = [];
const costly = [];
for (const pattern of ORDINARY) {
  await requireSameCount(pattern);
  const measured = await interleaved(
    { ours: () => time(() => search(pattern)), native: () => time(() => scan(pattern)) },
    ROUNDS,
  );
  const [ours, native] = [measured.get('ours'), measured.get('native')];
  const { total } = await search(pattern);
  const cells = [
    medianOf(ours).toFixed(1),
    spreadOf(ours),
    medianOf(native).toFixed(1),
    ratioOf(ours, native).toFixed(1),
  ];
  ordinary.push([code(pattern), total, ...cells]);
}
for (const pattern of [...COSTLY, ...ENDLESS]) {
  const measured = await interleaved({ ours: () => time(() => search(pattern)) }, ROUNDS);
  const { total, scanned, timedOut } = await search(pattern);
  const ours = measured.get('ours');
  const found = timedOut ? `${total}, time over after ${scanned} tools` : total;
  costly.push([
    code(pattern),
    found,
    medianOf(ours).toFixed(1),
    spreadOf(ours),
    ENDLESS.includes(pattern) ? 'without end' : '',
    '',
  ]);
}
printTable('Ordinary regular expressions', [head, ...ordinary]);
printTable('Regular expressions that are made to take long', [head, ...costly]);
printConditions({
  how: [
    `${views.length.toLocaleString('en')} tools`,
    `${ROUNDS} interleaved rounds`,
    "the ratio is the median of the rounds' ratios",
  ],
  peers: [`the native RegExp of V8 ${process.versions.v8}`],
});

async function openRegistry() {
  const servers = groupByServer();
  const opened = createRegistry();
  for (const [name, tools] of servers) {
    const listTools = () =>
      tools.map(({ name: tool, description, inputSchema = { type: 'object' } }) => ({
        name: tool,
        description,
        inputSchema,
      }));
    opened.attach({ name, listTools, callTool: async () => ({ content: [] }) });
  }
  return opened;
}

function groupByServer() {
  const servers = new Map();
  for (const tool of catalogOf(TOOLS, SIZE)) servers.set(tool.server, [...(servers.get(tool.server) ?? []), tool]);
  return servers;
}

function search(pattern) {
  return registry.search({ query: pattern, useRegex: true, limit: 10 });
}

function scan(pattern) {
  const flags = pattern.startsWith('(?i)') ? 'i' : '';
  const expression = new RegExp(pattern.replace('(?i)', ''), flags);
  let total = 0;
  for (const own of texts) if (own.some((text) => text !== '' && expression.test(text))) total++;
  return total;
}

async function time(run) {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

async function requireSameCount(pattern) {
  const { total, timedOut } = await search(pattern);
  if (!timedOut && total !== scan(pattern))
    throw new Error(`${pattern}: ours found ${total}, the native engine ${scan(pattern)}`);
}

function code(pattern) {
  return `\`${pattern.replaceAll('|', '\\|')}\``;
}
