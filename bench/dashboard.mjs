// The page of the dashboard with 200 servers that change and 100 calls a second: long tasks and memory.
// Run: node --import tsx bench/dashboard.mjs [seconds] [view]
import { fileURLToPath } from 'node:url';
import { openPage, showServers, startBrowser } from '../packages/mcp-cli/test/helpers/browser.ts';
import { dashboardFleet, serverRow } from '../packages/mcp-cli/test/helpers/dashboard-fleet.ts';

const seconds = Number(process.argv[2] ?? 60);
const only = process.argv[3];
const callsPerSecond = 100;
const pageDirectory = fileURLToPath(new URL('../packages/mcp-cli/dist/dashboard/', import.meta.url));

const rows = Array.from({ length: 200 }, (_, index) =>
  serverRow(`server-${index}`, index % 10 === 0 ? { state: 'failed', lastError: 'no such file' } : {}),
);
const browser = await startBrowser();
const fleet = await dashboardFleet(rows, { pageDirectory });
try {
  for (const [name, show] of [
    ['overview', async () => undefined],
    ['servers, table', showServers],
    ['servers, cards', showCards],
    ['calls', (page) => page.evaluate('location.hash = "#/calls"')],
  ]) {
    if (only === undefined || name === only) console.log(`${name}: ${JSON.stringify(await measure(show))}`);
  }
} finally {
  await browser.close();
  await fleet[Symbol.asyncDispose]();
}

async function showCards(page) {
  await page.evaluate('location.hash = "#/servers?show=cards"');
}

async function measure(show) {
  const watched = await openPage(browser, fleet.dashboard.newLink('look').url);
  const { page } = watched;
  const session = await page.context().newCDPSession(page);
  const heap = async () => {
    await session.send('HeapProfiler.collectGarbage');
    return (await session.send('Runtime.getHeapUsage')).usedSize;
  };
  await show(page);
  await after(2);
  const stop = churn();
  const first = await tasksDuring(seconds / 2);
  const middle = await heap(); // outside of a trace, because it collects garbage
  const second = await tasksDuring(seconds / 2);
  const end = await heap();
  stop();
  const tasks = [...first, ...second];
  const elements = await page.evaluate('document.querySelectorAll("*").length');
  await watched[Symbol.asyncDispose]();
  const over = (durations) => durations.filter((ms) => ms > 50).length;
  const most = (durations) => Math.round(Math.max(0, ...durations));
  return {
    'tasks over 50 ms of processor time': over(tasks.map(({ cpu }) => cpu)),
    'longest by processor time, ms': most(tasks.map(({ cpu }) => cpu)),
    'tasks over 50 ms of time': over(tasks.map(({ wall }) => wall)),
    'longest by time, ms': most(tasks.map(({ wall }) => wall)),
    'heap in the middle, MB': Number((middle / 1e6).toFixed(1)),
    'heap at the end, MB': Number((end / 1e6).toFixed(1)),
    elements,
  };
}

/** Tasks of the page's main thread. Other programs of the machine add to their time, not to their processor time. */
async function tasksDuring(seconds) {
  const session = await browser.newBrowserCDPSession();
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const categories = ['disabled-by-default-devtools.timeline', '__metadata'];
  await session.send('Tracing.start', { traceConfig: { includedCategories: categories, excludedCategories: ['*'] } });
  await after(seconds);
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  const mains = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const threads = new Set(mains.map(({ pid, tid }) => `${pid} ${tid}`));
  return events
    .filter(({ name, pid, tid }) => name === 'RunTask' && threads.has(`${pid} ${tid}`))
    .map(({ dur = 0, tdur = 0 }) => ({ wall: dur / 1_000, cpu: tdur / 1_000 }));
}

/** Calls of servers, and changes of ten servers a second. */
function churn() {
  let round = 0;
  const timer = setInterval(() => {
    round += 1;
    for (let index = 0; index < callsPerSecond / 20; index += 1) {
      const number = (round * 7 + index * 31) % 200;
      const server = `server-${number}`;
      const call = { time: new Date().toISOString(), action: 'call', decision: 'allowed', call: round * 10 + index };
      const event = { ...call, argumentShape: { known: {}, others: 0 }, name: `mcp__${server}__tool`, server };
      fleet.calls.sink({ ...event, client: 'editor 1.0', role: 'review', outcome: 'started' });
      const outcome = index === 0 && round % 20 === 0 ? 'failed' : 'ok';
      fleet.calls.sink({ ...event, client: 'editor 1.0', role: 'review', outcome, durationMs: (round * 13) % 700 });
    }
    if (round % 2 === 0) fleet.change(serverRow(`server-${(round % 199) + 1}`, { memoryBytes: 1e7 + round * 1e4 }));
  }, 50);
  return () => clearInterval(timer);
}

function after(seconds) {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
}
