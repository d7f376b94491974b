// One contender in a process of its own, whose servers misbehave; its parent looks at what becomes of it.
import { answerParent } from './answer-parent.mjs';
import { contenders, textOf } from './contenders.mjs';

const [name, ours] = process.argv.slice(2);
let open;

answerParent({
  open: async ({ servers }) => {
    open = await contenders[name](servers, { entry: ours, mayFailAtFirst: true });
  },
  /** What the call brought: `{ text }`, or `{ failure }` when it was refused or told as an error. */
  call: async ({ server, tool, args = {} }) => {
    try {
      return { text: textOf(await open.call(server, tool, args)) };
    } catch (error) {
      return { failure: String(error) };
    }
  },
  close: () => open.close(),
});
