// One contender in a process of its own, which does what its parent asks for: `open`, then any of the measurements.
import { answerParent } from './answer-parent.mjs';
import { callers, textOf } from './contenders.mjs';

const [name, entry, registry] = process.argv.slice(2);
let open;

const commands = {
  /** Milliseconds from before the import until every server is connected and listed. */
  open: async ({ servers }) => {
    const from = performance.now();
    open = await callers[name](servers, { entry, registry });
    return performance.now() - from;
  },

  /** Microseconds of the median call, one after the other. */
  oneByOne: async ({ server, calls }) => {
    const times = [];
    for (let call = 0; call < calls; call++) {
      const from = performance.now();
      await echo(server, `call ${call}`);
      times.push(performance.now() - from);
    }
    return median(times) * 1_000;
  },

  /** Calls a second with so many under way all the time. */
  atOnce: async ({ server, calls, inFlight }) => {
    let next = 0;
    const work = async () => {
      while (next < calls) await echo(server, `call ${next++}`);
    };
    const from = performance.now();
    await Promise.all(Array.from({ length: inFlight }, work));
    return calls / ((performance.now() - from) / 1_000);
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

async function echo(server, text) {
  const answer = textOf(await open.call(server, 'echo', { text }));
  if (answer !== text) throw new Error(`${name} answered ${answer} instead of ${text}`);
}

function median(values) {
  return values.sort((a, b) => a - b)[values.length >> 1];
}
