import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connect, type Request } from './channel.js';

const program = fileURLToPath(new URL('extension-host.ts', import.meta.url));

interface Question {
  readonly message: string;
  readonly items: readonly string[];
}

type Choice = string | undefined | Promise<string | undefined>;

/** A window of the editor, with the process in which its extensions run. */
export class EditorWindow {
  /** Questions of the extension in this window. */
  readonly questions: string[] = [];
  readonly request: Request;
  readonly #host: ChildProcess;

  /** @param choose - The user, who sees a question and presses a button or closes it. */
  constructor(env: NodeJS.ProcessEnv, choose: (question: Question) => Choice) {
    this.#host = fork(program, { env, execArgv: ['--import', 'tsx'], silent: true, detached: true });
    this.#host.stderr?.pipe(process.stderr);
    this.request = connect(this.#host, {
      showWarningMessage: (question: Question) => {
        this.questions.push(question.message);
        return choose(question);
      },
    });
  }

  /** Ends the extension host. Resolves with its exit code. */
  async close(): Promise<unknown> {
    await this.request('deactivate');
    return this.crash();
  }

  /** Closes the channel of the extension host without a message. Resolves with its exit code. */
  async crash(): Promise<unknown> {
    const exited = once(this.#host, 'exit');
    this.#host.disconnect();
    const [code] = await exited;
    return code;
  }
}
