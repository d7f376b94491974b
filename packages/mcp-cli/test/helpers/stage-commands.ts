import { fileURLToPath } from 'node:url';
import type { DaemonStage } from './daemon-stage.js';
import { type Outcome, type RunOptions, runMcpx } from './run-mcpx.js';

/** A server all of whose texts try to take over the terminal. */
export const hostileServer = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../fixtures/hostile.mjs', import.meta.url))],
};

/** Characters that a terminal obeys, or that hide or reorder text. Our own colours are off where no terminal is. */
export const obeyed = /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/u;

/** Runs commands by their words, in this process, against the daemon of a stage if it runs. */
export function onStage(
  { io, folder }: DaemonStage,
  argv: readonly string[],
  options: RunOptions = {},
): Promise<Outcome> {
  const { env, stateDirectory, daemonPrograms } = io;
  return runMcpx(argv, {
    cwd: folder,
    env,
    ...(stateDirectory !== undefined && { stateDirectory }),
    ...(daemonPrograms && { daemonPrograms }),
    ...options,
  });
}

/** Runs `mcpx up`, which has to go well. */
export async function upOn(stage: DaemonStage): Promise<void> {
  const { exitCode, stderr } = await onStage(stage, ['up']);
  if (exitCode !== 0) throw new Error(`mcpx up exited with ${exitCode}: ${stderr}`);
}

/** A server whose tools have arguments of many types. `find_word` and two others are read-only. */
export const typedTools = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../fixtures/typed-tools.mjs', import.meta.url))],
};
