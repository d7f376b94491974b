import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Io, OutputStream } from '../../src/command.js';
import { run } from '../../src/run.js';
import { keyStoreInMemory } from './key-store.js';
import { project } from './project.js';
import type { Outcome } from './run-mcpx.js';

/** A user with a home, a state directory and a project of their own, in a folder that is deleted afterwards. */
export interface UserWorld extends AsyncDisposable {
  readonly project: string;
  readonly home: string;
  readonly state: string;
  /** Everything that any command has written to its two streams. */
  readonly told: () => string;
  run(argv: readonly string[], io?: Partial<Io>): Promise<Outcome>;
  /** @param path - From the folder that holds home, state and project. */
  write(path: string, text: string): Promise<string>;
  read(path: string): Promise<string>;
}

export async function userWorld(files: Readonly<Record<string, string>> = {}): Promise<UserWorld> {
  const { folder, [Symbol.asyncDispose]: remove } = await project(files);
  const at = (path: string): string => join(folder, path);
  for (const name of ['home', 'state', 'project', 'run']) await mkdir(at(name), { recursive: true, mode: 0o700 });
  const keyStore = keyStoreInMemory();
  let told = '';
  return {
    project: at('project'),
    home: at('home'),
    state: at('state'),
    told: () => told,
    run: async (argv, io = {}) => {
      const [stdout, stderr] = [recorder(), recorder()];
      const exitCode = await run(argv, {
        stdin: Readable.from([]),
        stdout,
        stderr,
        cwd: at('project'),
        stateDirectory: at('state'),
        signal: new AbortController().signal,
        keyStore: async () => keyStore,
        ...io,
        env: { PATH: process.env.PATH, MCPX_TRUST: '1', HOME: at('home'), XDG_RUNTIME_DIR: at('run'), ...io.env },
      });
      told += stdout.text + stderr.text;
      return { exitCode, stdout: stdout.text, stderr: stderr.text };
    },
    write: async (path, text) => {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), text);
      return at(path);
    },
    read: (path) => readFile(at(path), 'utf8'),
    [Symbol.asyncDispose]: remove,
  };
}

function recorder(): OutputStream & { text: string } {
  return {
    text: '',
    write(text: string) {
      this.text += text;
    },
  };
}
