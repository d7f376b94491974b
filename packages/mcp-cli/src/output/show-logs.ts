import type { Control } from '../control/control.js';
import type { Io } from '../io.js';
import { printableLine } from './printable.js';
import { stylesFor } from './styles.js';

/** Shows on stderr what servers write to theirs, until it is disposed of. */
export function showLogs(control: Control, servers: readonly string[], io: Io): AsyncDisposable {
  const over = new AbortController();
  const signal = AbortSignal.any([io.signal, over.signal]);
  const { dim } = stylesFor(io.stderr, io);
  const follow = async (server: string): Promise<void> => {
    for await (const { line } of control.logs({ server, follow: true, signal })) {
      io.stderr.write(`${dim(`  ${printableLine(server, 60)} | ${printableLine(line, 500)}`)}\n`);
    }
  };
  // What goes wrong with them goes wrong with the command, too, which tells it.
  const following = servers.map((server) => follow(server).catch(() => undefined));
  return {
    [Symbol.asyncDispose]: async () => {
      await new Promise(setImmediate); // what was written last is on its way
      over.abort(new Error('nobody looks any more'));
      await Promise.all(following);
    },
  };
}
