// One contender in a process of its own, which does what its parent asks for: `open`, then any of the measurements.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { answerParent } from './answer-parent.mjs';
import { callers, textOf } from './contenders.mjs';

const [name, entry, registry] = process.argv.slice(2);
let open;

const commands = {
  /** Milliseconds from before the import until every server is connected and listed, and the longest block of the event loop meanwhile. */
  open: async ({ servers }) => {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await new Promise((resolve) => setTimeout(resolve, 5)); // the first sample comes with the second turn
    delay.reset();
    const from = performance.now();
    open = await callers[name](servers, { entry, registry });
    const ms = performance.now() - from;
    delay.disable();
    return { ms, lagMs: delay.max / 1_000_000 };
  },

  /** Microseconds of the median call, one after the other. */
  oneByOne: async ({ server, calls }) => {
    const times = [];
    for (let call = 0; call < calls; call++) times.push(await timeOf(() => echo(server, `call ${call}`)));
    return median(times) * 1_000;
  },

  /** Calls a second with that many in flight all the time. */
  atOnce: ({ server, calls, inFlight }) => perSecond({ calls, inFlight }, (call) => echo(server, `call ${call}`)),

  /** Calls and prompts a second with that many in flight all the time, a quarter of each in turn. */
  prompts: async ({ server, calls, inFlight }) => {
    const load = { calls: calls / 4, inFlight };
    const rates = { calls: [], prompts: [] };
    for (let turn = 0; turn < 4; turn++) {
      rates.calls.push(await perSecond(load, (call) => echo(server, `call ${call}`)));
      rates.prompts.push(await perSecond(load, (call) => prompt(server, `call ${call}`)));
    }
    return { calls: median(rates.calls), prompts: median(rates.prompts) };
  },

  /** Microseconds of the median call with a text and with structured content, in turns of 100 calls. */
  structured: async ({ server, calls }) => {
    const times = { text: [], structured: [] };
    for (let turn = 0; turn < calls / 100; turn++) {
      for (let call = 0; call < 100; call++) times.text.push(await timeOf(() => echo(server, `call ${call}`)));
      for (let call = 0; call < 100; call++) times.structured.push(await timeOf(() => row(server, `call ${call}`)));
    }
    return { text: median(times.text) * 1_000, structured: median(times.structured) * 1_000 };
  },

  /** Milliseconds of the median call with a result of so many bytes. */
  big: async ({ server, calls, bytes }) => {
    const times = [];
    for (let call = 0; call < calls; call++) {
      const from = performance.now();
      const text = textOf(await open.call(server, 'big', { bytes }));
      times.push(performance.now() - from);
      if (text.length !== bytes) throw new Error(`${name} brought ${text.length} of ${bytes} characters`);
    }
    return median(times);
  },

  /** What the process holds after a collection, in bytes. */
  memory: () => {
    for (let turn = 0; turn < 4; turn++) globalThis.gc();
    const { rss, heapUsed, external } = process.memoryUsage();
    return { rss, heap: heapUsed + external };
  },

  /** Processor time of this process so far, in milliseconds. */
  processorTime: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },

  close: () => open.close(),
};

answerParent(commands);

async function perSecond({ calls, inFlight }, send) {
  let next = 0;
  const work = async () => {
    while (next < calls) await send(next++);
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: inFlight }, work));
  return calls / ((performance.now() - from) / 1_000);
}

async function timeOf(work) {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

async function row(server, text) {
  const answer = await open.call(server, 'row', { text });
  const { structuredContent = answer } = answer; // mastra returns the structured content itself
  if (structuredContent.text !== text && textOf(answer) !== text)
    throw new Error(`${name} lost the structured content`);
}

async function prompt(server, text) {
  const { messages } = await open.prompt(server, 'echo', { text });
  if (messages[0].content.text !== text) throw new Error(`${name} brought another prompt`);
}

async function echo(server, text) {
  const answer = textOf(await open.call(server, 'echo', { text }));
  if (answer !== text) throw new Error(`${name} answered ${answer} instead of ${text}`);
}

function median(values) {
  return values.sort((a, b) => a - b)[values.length >> 1];
}
