import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { findLeaks, withOwner } from '@x/test-servers';
import { expect } from 'vitest';
import type { DaemonPrograms, ExitCode, Io } from '../../src/command.js';
import { endDaemon } from '../../src/daemon/end-daemon.js';
import { type DaemonPlace, locateDaemon } from '../../src/daemon/locate-daemon.js';
import { type DaemonState, readState } from '../../src/daemon/state-file.js';
import { daemonPrograms } from './daemon-programs.js';
import { project, type ServerEntry, serversFile } from './project.js';
import type { Outcome } from './run-mcpx.js';

/** A project with a place for its daemon. When it is disposed of the daemon is ended, and nothing of it may be left. */
export interface DaemonStage extends AsyncDisposable {
  readonly folder: string;
  /** Value of `MCPX_TEST` in the environment of every process of it. */
  readonly mark: string;
  readonly io: Io;
  readonly place: DaemonPlace;
  /** Runs a command in this process, with a world of its own. */
  run(command: (io: Io) => Promise<ExitCode>, options?: { readonly signal?: AbortSignal }): Promise<Outcome>;
  /** What the daemon has written down. */
  state(): Promise<DaemonState>;
  /** Processes of the daemon and of its servers that are alive. */
  processes(): Promise<readonly { readonly pid: number; readonly command: string }[]>;
}

export async function daemonStage(
  servers: readonly ServerEntry[] = [{ name: 'echo', server: 'echo' }],
  {
    env = {},
    settings = {},
    programs = daemonPrograms,
  }: { env?: Record<string, string>; settings?: Record<string, number>; programs?: () => DaemonPrograms } = {},
): Promise<DaemonStage> {
  const mark = randomUUID();
  const marked = servers.map(({ fields, ...server }) => ({
    ...server,
    fields: {
      ...fields,
      ...(fields?.url === undefined && { env: { MCPX_TEST: mark, ...(fields?.env as object | undefined) } }),
    },
  }));
  const { folder, [Symbol.asyncDispose]: remove } = await project({
    'mcp_servers.yaml': serversFile(marked, settings),
  });
  await mkdir(join(folder, 'run'), { mode: 0o700 });
  const io: Io = {
    stdin: Readable.from([]),
    stdout: { write: () => undefined },
    stderr: { write: () => undefined },
    env: withOwner({
      PATH: process.env.PATH,
      HOME: join(folder, 'home'),
      XDG_CONFIG_HOME: join(folder, 'home', '.config'),
      MCPX_TRUST: '1',
      XDG_RUNTIME_DIR: join(folder, 'run'),
      MCPX_TEST: mark,
      ...env,
    }),
    cwd: folder,
    stateDirectory: join(folder, 'state'),
    signal: new AbortController().signal,
    daemonPrograms: programs(),
  };
  const place = locateDaemon({}, io);
  return {
    folder,
    mark,
    io,
    place,
    run: async (command, { signal = io.signal } = {}) => {
      let stdout = '';
      let stderr = '';
      const exitCode = await command({
        ...io,
        signal,
        stdout: {
          write: (text) => {
            stdout += text;
          },
        },
        stderr: {
          write: (text) => {
            stderr += text;
          },
        },
      });
      return { exitCode, stdout, stderr };
    },
    state: async () => {
      const state = await readState(place.paths.stateFile, place.userId);
      if (!state) throw new Error('there is no state file');
      return state;
    },
    processes: () => findLeaks(`MCPX_TEST=${mark}`),
    [Symbol.asyncDispose]: async () => {
      await endDaemon({ now: true }, io);
      await untilNothingIsLeft(`MCPX_TEST=${mark}`);
      await remove();
    },
  };
}

/** `expectNoLeaks` where tests share a stage: fails if a process is left that is not one of the stage. */
export async function expectNoLeaksBeside(stage: DaemonStage): Promise<void> {
  const left = async () => {
    const own = new Set((await stage.processes()).map(({ pid }) => pid));
    return (await findLeaks()).filter(({ pid }) => !own.has(pid));
  };
  await expect.poll(left, { timeout: 2_000 }).toEqual([]);
}

/** Resolves when no process with the mark is left. */
async function untilNothingIsLeft(mark: string): Promise<void> {
  const deadline = performance.now() + 15_000;
  for (;;) {
    const left = await findLeaks(mark);
    if (left.length === 0) return;
    if (performance.now() > deadline) {
      for (const { pid } of left) process.kill(pid, 'SIGKILL');
      throw new Error(`The test left processes behind: ${JSON.stringify(left)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
