import { type Stack, serverNamed } from '../compose.js';
import type { LogLine, LogOptions } from './control.js';
import type { ControlBase } from './control-base.js';

/** What may wait for a slow reader, in lines. */
const maxWaiting = 1_000;

/** The lines of one server's stderr: those that are kept, and with `follow` those that come. */
export async function* readLogs(
  stack: Pick<Stack, 'manager'>,
  { run, redact }: ControlBase,
  { server: name, follow = false, lines, signal }: LogOptions,
): AsyncGenerator<LogLine, void, undefined> {
  const server = await run(signal, async () => serverNamed(stack, name));
  const live = new WaitingLines();
  // Listening begins in the turn in which the kept lines are read, so that none is lost between the two and none doubled.
  using _listening = stack.manager.events.on('server-stderr', (event) => {
    if (event.server === name) live.add(redact(event.line));
  });
  const stop = () => live.wake();
  signal?.addEventListener('abort', stop);
  try {
    const kept = server.stderrTail();
    for (const line of lines === undefined ? kept : kept.slice(Math.max(0, kept.length - lines)))
      yield { line: redact(line) };
    while (follow) {
      signal?.throwIfAborted();
      const next = live.take();
      if (next) yield next;
      else await live.added();
    }
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** The latest lines that nobody has read yet; the oldest make room. */
class WaitingLines {
  readonly #lines: string[] = [];
  #missed = 0;
  #wake: (() => void) | undefined;

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > maxWaiting) {
      this.#lines.shift();
      this.#missed += 1;
    }
    this.wake();
  }

  take(): LogLine | undefined {
    const line = this.#lines.shift();
    if (line === undefined) return undefined;
    const missed = this.#missed;
    this.#missed = 0;
    return missed > 0 ? { line, missed } : { line };
  }

  wake(): void {
    this.#wake?.();
  }

  added(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
