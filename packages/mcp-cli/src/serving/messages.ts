import { codeOf } from '@x/internal/files';
import type { GatewayProblem, NamedCollision } from '@x/mcp-gateway';
import type { Io } from '../command.js';
import { UsageError } from '../command.js';
import { inCommandWords } from '../output/command-words.js';
import { printNote } from '../output/fit.js';
import { printable, printableLine, stylesFor } from '../output/print.js';
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
  printNote(`Serving ${count} at ${bold(url)}`, io);
  if (kept === undefined) return;
  if (kept.isNew) {
    printNote(`A token was generated for this config, in a file that only you can read: ${kept.file}`, io);
    printNote('Clients send it in a header: Authorization: Bearer <token>', io);
  } else {
    printNote(dim(`The token is in ${kept.file}`), io);
  }
}

/** Period in which a problem is printed once, in milliseconds. */
const quietMs = 60_000;
/** Remembered problems, at most. */
const maxRemembered = 1_000;
/** Lines per minute, at most. */
const maxPerMinute = 60;
const maxVerbosePerMinute = 600;

export interface ProblemLines {
  /** Prints a failure of a server, once a minute per server and reason unless verbose. */
  readonly onProblem: (problem: GatewayProblem) => void;
  /** Prints a failure between client and gateway, once a minute per error name and code unless verbose. */
  readonly onError: (error: Error) => void;
}

/** Prints failures on stderr, one per line, without secrets and control characters. */
export function problemLines(
  io: Pick<Io, 'stderr' | 'env'>,
  { redact, isVerbose, now = Date.now }: { redact(text: string): string; isVerbose: boolean; now?: () => number },
): ProblemLines {
  const { yellow, dim } = stylesFor(io.stderr as Io['stderr'], io);
  const printedAt = new Map<string, number>();
  const budget = new LineBudget(isVerbose ? maxVerbosePerMinute : maxPerMinute);
  const warn = (text: string): void => printNote(`${yellow('warning:')} ${text}`, io);
  const print = (key: string, message: string, cause: unknown): void => {
    const time = now();
    if (!isVerbose && time - (printedAt.get(key) ?? Number.NEGATIVE_INFINITY) < quietMs) return;
    if (printedAt.size >= maxRemembered) printedAt.clear();
    printedAt.set(key, time);
    const { isAllowed, isLast, dropped } = budget.spend(time);
    if (dropped > 0) warn(`${dropped} more problems were not shown.`);
    if (!isAllowed) return;
    warn(printableLine(redact(inCommandWords(message)), 1_000));
    if (isVerbose && cause instanceof Error) {
      io.stderr.write(`${dim(printable(redact(cause.stack ?? cause.message)))}\n`);
    }
    if (isLast) warn('There are many problems; further ones are not shown for up to a minute.');
  };
  return {
    onProblem: ({ code, server, reason, message, cause }) =>
      print(JSON.stringify([code, server, reason]), message, cause),
    // The message is no key, because it may contain client data.
    onError: (error) => {
      const code = codeOf(error) ?? '';
      const hint = hints.get(code);
      const message = hint === undefined ? error.message : `${error.message.replace(/\.$/, '')}. ${hint}`;
      print(JSON.stringify([error.name, code]), message, error);
    },
  };
}

/** Hints for errors without a remedy. */
const hints: ReadonlyMap<string, string> = new Map([
  ['client-stalled', 'The connection is closed. Restart the client and check that it reads its messages.'],
]);

/** Limits lines per minute, so that faulty clients cannot fill a disk. */
class LineBudget {
  readonly #most: number;
  #since = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** @returns `leftOut`: lines dropped in the previous minute. */
  spend(time: number): { readonly isAllowed: boolean; readonly isLast: boolean; readonly dropped: number } {
    const isOver = time - this.#since >= quietMs;
    const dropped = isOver ? Math.max(0, this.#count - this.#most) : 0;
    if (isOver) {
      this.#since = time;
      this.#count = 0;
    }
    this.#count += 1;
    return { isAllowed: this.#count <= this.#most, isLast: this.#count === this.#most, dropped };
  }
}

const words = { tools: 'tool', prompts: 'prompt', resources: 'resource', resourceTemplates: 'resource template' };
const maxShown = 20;

/** For `--names as-is`. */
export function collisionError(collisions: readonly NamedCollision[]): UsageError {
  const count = collisions.length === 1 ? '1 name belongs' : `${collisions.length} names belong`;
  return new UsageError(`Unprefixed names cannot be served: ${count} to several servers.`, {
    details: linesOf(collisions),
    hint: 'Omit --names as-is, or name servers without collisions: mcpx serve <server…> --names as-is',
  });
}

/** For collisions that appear while serving. */
export function collisionProblem(collisions: readonly NamedCollision[]): GatewayProblem {
  const servers = [...new Set(collisions.flatMap((collision) => collision.servers))].join(', ');
  const message = `Names of several servers are served for the first server only, or not at all: ${linesOf(collisions).join('; ')}`;
  return { code: 'name-collision', server: servers, reason: 'found-later', message };
}

function linesOf(collisions: readonly NamedCollision[]): readonly string[] {
  const lines = collisions.map(
    ({ kind, name, servers, owner }) =>
      `${words[kind]} ${printableLine(name, 100)}: ${servers.join(', ')}${owner === undefined ? '' : `; served for ${owner}`}`,
  );
  const rest = lines.length - maxShown;
  return [...lines.slice(0, maxShown), ...(rest > 0 ? [`and ${rest} more`] : [])];
}
