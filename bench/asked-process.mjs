import { fork } from 'node:child_process';

/** A process of ours that does what it is asked for, one thing at a time; the other side is `answerParent`. */
export class AskedProcess {
  #child;
  #detached;

  constructor(program, args, { cwd, node, pinned = [], env = process.env, stderr = 'inherit', detached = false }) {
    this.#detached = detached;
    const [execPath, ...before] = [...pinned, node];
    this.#child = fork(program, args, {
      cwd,
      env,
      execPath,
      detached,
      execArgv: [...before, '--expose-gc'],
      stdio: ['ignore', 'ignore', stderr, 'ipc'],
    });
  }

  get pid() {
    return this.#child.pid;
  }

  ask(command, options = {}) {
    return new Promise((resolve, reject) => {
      const ended = (code) => reject(new Error(`The process ended with code ${code} during ${command}`));
      this.#child.once('exit', ended);
      this.#child.once('message', ({ value, error }) => {
        this.#child.off('exit', ended);
        if (error) reject(new Error(error));
        else resolve(value);
      });
      this.#child.send({ command, ...options });
    });
  }

  /** Ends it at once, whatever it does; if it is detached, with all that it started and that is still of its group. */
  kill() {
    if (this.#detached) process.kill(-this.pid, 'SIGKILL');
    else this.#child.kill('SIGKILL');
  }

  async close() {
    await this.ask('close');
    await new Promise((resolve) => {
      this.#child.once('exit', resolve);
      this.#child.disconnect();
      setTimeout(() => this.#child.kill(), 1_000).unref(); // something may keep the process alive
    });
  }
}
