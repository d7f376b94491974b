// The page of the dashboard with 200 servers that change and 100 calls a second: long tasks and memory.
// Run: node --import tsx bench/dashboard.mjs [seconds]
import { openPage, showServers, startBrowser } from '../packages/mcp-cli/test/helpers/browser.ts';
import { dashboardFleet, serverRow } from '../packages/mcp-cli/test/helpers/dashboard-fleet.ts';

const seconds = Number(process.argv[2] ?? 60);
const callsPerSecond = 100;
const pageDirectory = new URL('../packages/mcp-cli/dist/dashboard/', import.meta.url).pathname;

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
    console.log(`${name}: ${JSON.stringify(await measure(show))}`);
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
  await show(page);
  await after(2);
  await page.evaluate(`{
    window.longTasks = [];
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ type: 'longtask' });
    window.frames = 0;
    const count = () => { frames += 1; requestAnimationFrame(count); };
    count();
  }`);
  const heap = async () => {
    await session.send('HeapProfiler.collectGarbage');
    return (await session.send('Runtime.getHeapUsage')).usedSize;
  };
  const half = seconds / 2;
  const stop = churn();
  await after(half);
  const middle = await heap();
  await after(half);
  const end = await heap();
  stop();
  const longTasks = await page.evaluate('longTasks');
  const frames = await page.evaluate('frames');
  const nodes = await page.evaluate('document.querySelectorAll("*").length');
  await watched[Symbol.asyncDispose]();
  return {
    'long tasks over 50 ms': longTasks.length,
    'longest, ms': Math.round(Math.max(0, ...longTasks)),
    'frames per second': Math.round(frames / seconds),
    'heap in the middle, MB': Number((middle / 1e6).toFixed(1)),
    'heap at the end, MB': Number((end / 1e6).toFixed(1)),
    elements: nodes,
  };
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
