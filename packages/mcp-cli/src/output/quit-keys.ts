import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { interruptKey, pressedKeys } from './pressed-keys.js';

/** Keys that end a continuous view. */
export interface QuitKeys extends Disposable {
  /** True if stdin is a terminal. */
  readonly areRead: boolean;
  /** Aborts with the command's own signal and when a key ends the view. */
  readonly signal: AbortSignal;
  /** Exit code of the key that ended the view. */
  readonly exitCode: ExitCode | undefined;
}

/** Listens for `q` and Ctrl-C until disposed. */
export function quitKeys(io: Pick<Io, 'stdin' | 'signal'>): QuitKeys {
  const ended = new AbortController();
  let exitCode: ExitCode | undefined;
  const keys = pressedKeys(io, (key) => {
    if (key === 'q') exitCode ??= exitCodes.ok;
    if (key === interruptKey) exitCode ??= exitCodes.interrupted;
    if (exitCode !== undefined) ended.abort(new Error('The user ended the view.'));
  });
  return {
    areRead: keys.areRead,
    signal: AbortSignal.any([io.signal, ended.signal]),
    get exitCode() {
      return exitCode;
    },
    [Symbol.dispose]: () => keys[Symbol.dispose](),
  };
}
