import type { Io } from '../command.js';
import { stylesFor } from '../output/print.js';
import type { Access } from './access.js';

/** Prints a sentence on stderr, or with `--json` one line of JSON on stdout. */
export function announce(
  { url, servers, kept, json }: { url: string; servers: readonly string[]; kept: Access['kept']; json: boolean },
  io: Io,
): void {
  if (json) {
    io.stdout.write(`${JSON.stringify({ url, servers, ...(kept && { tokenFile: kept.file }) })}\n`);
    return;
  }
  const { bold, dim } = stylesFor(io.stderr, io);
  const count = servers.length === 1 ? '1 server' : `${servers.length} servers`;
  io.stderr.write(`Serving ${count} at ${bold(url)}\n`);
  if (kept === undefined) return;
  if (kept.isNew) {
    io.stderr.write(`A token was generated for this config, in a file that only you can read: ${kept.file}\n`);
    io.stderr.write('Clients send it in a header: Authorization: Bearer <token>\n');
  } else {
    io.stderr.write(dim(`The token is in ${kept.file}\n`));
  }
}
