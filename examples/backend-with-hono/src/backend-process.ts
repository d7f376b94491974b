import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('server.ts', import.meta.url));

/** The backend as a process of its own, as it is deployed. */
export class BackendProcess {
  readonly #child;
  readonly #exited: Promise<unknown[]>;
  readonly #lines: string[] = [];
  #isRead = (): void => undefined;

  constructor(env: NodeJS.ProcessEnv) {
    this.#child = fork(program, { env, execArgv: ['--import', 'tsx'], silent: true });
    this.#exited = once(this.#child, 'exit');
    this.#child.stderr?.pipe(process.stderr);
    createInterface({ input: this.#child.stdout ?? process.stdin }).on('line', (line) => {
      this.#lines.push(line);
      this.#isRead();
    });
  }

  /** Resolves with the first line that fits and has not been returned before. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const at = this.#lines.findIndex((line) => pattern.test(line));
      if (at !== -1) return this.#lines.splice(at, 1).join();
      await new Promise<void>((resolve) => {
        this.#isRead = resolve;
      });
    }
  }

  /** Asks it to stop as a service manager does. Resolves with its exit code. */
  async stop(): Promise<unknown> {
    if (process.platform === 'win32') this.#child.disconnect();
    else this.#child.kill('SIGTERM');
    const [code] = await this.#exited;
    return code;
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }
}
