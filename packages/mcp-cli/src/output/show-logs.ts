import type { Control } from '../control/control.js';
import type { Io } from '../io.js';
import { printableLine } from './printable.js';
import { stylesFor } from './styles.js';

/** Prints stderr lines of servers until disposed. */
export function showLogs(control: Control, servers: readonly string[], io: Io): AsyncDisposable {
  const ended = new AbortController();
  const signal = AbortSignal.any([io.signal, ended.signal]);
  const { dim } = stylesFor(io.stderr, io);
  const follow = async (server: string): Promise<void> => {
    for await (const { line } of control.logs({ server, follow: true, signal })) {
      io.stderr.write(`${dim(`  ${printableLine(server, 60)} | ${printableLine(line, 500)}`)}\n`);
    }
  };
  // A failure here fails the command, too, which reports it.
  const following = servers.map((server) => follow(server).catch(() => undefined));
  return {
    [Symbol.asyncDispose]: async () => {
      await new Promise(setImmediate); // lets the last lines arrive
      ended.abort(new Error('The logs are no longer shown.'));
      await Promise.all(following);
    },
  };
}
