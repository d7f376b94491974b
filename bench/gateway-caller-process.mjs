// One client in a process of its own, which calls when its parent asks for it.
import { answerParent } from './answer-parent.mjs';
import { callers } from './gateway-callers.mjs';

let open;

answerParent({
  /** Connects. Gives the id of the process that it has started for that, if it has. */
  open: async ({ caller, target }) => {
    open = await callers[caller](target);
    return open.pid;
  },

  /** Calls with so many under way all the time: of all calls the median and the 99th percentile in µs, and calls a second. */
  run: async ({ calls, inFlight, bytes }) => {
    const times = [];
    let next = 0;
    const work = async () => {
      while (next < calls) {
        const call = next++;
        const from = performance.now();
        await (bytes === undefined ? echo(`call ${call}`) : big(bytes));
        times.push(performance.now() - from);
      }
    };
    const from = performance.now();
    await Promise.all(Array.from({ length: inFlight }, work));
    const seconds = (performance.now() - from) / 1_000;
    times.sort((a, b) => a - b);
    const at = (part) => times[Math.floor((times.length - 1) * part)] * 1_000;
    return { p50: at(0.5), p99: at(0.99), perSecond: calls / seconds };
  },

  close: () => open.close(),
});

async function echo(text) {
  const answer = textOf(await open.call('echo', { text }));
  if (answer !== text) throw new Error(`${answer} was answered instead of ${text}`);
}

async function big(bytes) {
  const text = textOf(await open.call('big', { bytes }));
  if (text.length !== bytes) throw new Error(`${text.length} of ${bytes} characters were answered`);
}

function textOf({ content }) {
  return content[0].text;
}
