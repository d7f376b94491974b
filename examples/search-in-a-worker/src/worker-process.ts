import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** The path of the program, which is what its package exports. */
const { default: workerd } = createRequire(import.meta.url)('workerd') as { readonly default: string };

const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "2026-07-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);`;

/** A Worker in workerd, the runtime of Cloudflare Workers, on a free port of loopback. */
export class WorkerProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.url = `http://127.0.0.1:${port}/`;
  }

  /** @param folder - The one that has `worker.js`. */
  static async start(folder: string): Promise<WorkerProcess> {
    const file = join(folder, 'worker.capnp');
    await writeFile(file, config);
    // workerd writes to the third pipe which port it listens on.
    const child = spawn(workerd, ['serve', file, '--control-fd=3'], {
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    });
    const [line] = await once((child.stdio[3] as Readable).setEncoding('utf8'), 'data');
    return new WorkerProcess(child, JSON.parse(line).port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill();
    await exited;
  }
}
