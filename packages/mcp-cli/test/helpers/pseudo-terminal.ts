import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { withOwner } from '@x/test-servers';
import { mcpxProgram } from './daemon-programs.js';
import { homeIn } from './serving.js';

/** The program in a real terminal of 100 columns and 30 rows. Both of its streams are the terminal. */
export interface PseudoTerminal extends AsyncDisposable {
  /** Everything that was written so far, escape sequences included. */
  text(): string;
  /**
   * Resolves when that has been written; rejects when the program ends without it. `after`: length of the `text()`
   * before it. Default 0.
   */
  seen(text: string, options?: { readonly after?: number }): Promise<void>;
  /** Types the text. */
  press(keys: string): void;
  ended(): Promise<{ readonly exitCode: number | null; readonly text: string }>;
}

/** `folder`: where it runs, and where its user has everything. */
export async function inTerminal(
  folder: string,
  argv: readonly string[],
  { trust = '1', env = {} }: { readonly trust?: '' | '1'; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<PseudoTerminal> {
  const run = join(folder, 'run');
  await mkdir(run, { recursive: true, mode: 0o700 });
  const words = [process.execPath, mcpxProgram(), ...argv].map((word) => `'${word}'`).join(' ');
  const child = spawn('/usr/bin/script', ['-qec', `stty cols 100 rows 30; ${words}`, '/dev/null'], {
    cwd: folder,
    env: withOwner({
      PATH: process.env.PATH,
      TERM: 'xterm',
      SHELL: '/bin/sh',
      XDG_RUNTIME_DIR: run,
      ...homeIn(folder),
      MCPX_TRUST: trust,
      ...env,
    }),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined); // it may be gone while it is still written to
  let text = '';
  const watchers = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    for (const look of watchers) look();
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  return {
    text: () => text,
    seen: (wanted, { after = 0 } = {}) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!text.includes(wanted, after)) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        closed.then(([code]) => reject(new Error(`It ended with ${code} and wrote:\n${text}`)));
        look();
      }),
    press: (keys) => child.stdin.write(keys),
    ended: async () => ({ exitCode: (await closed)[0], text }),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await closed;
    },
  };
}
