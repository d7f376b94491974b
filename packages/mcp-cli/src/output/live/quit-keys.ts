import { type ExitCode, exitCodes, type Io } from '../../command.js';

/** Keys that end a continuous view. */
interface QuitKeys extends PressedKeys {
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

/** Ctrl-C as a terminal in raw mode sends it. */
const interruptKey = '\u0003';

interface TerminalInput {
  readonly isTTY?: boolean | undefined;
  setRawMode?(isRaw: boolean): unknown;
}

interface PressedKeys extends Disposable {
  /** True if stdin is a terminal. */
  readonly areRead: boolean;
}

/**
 * Calls `listener` for each pressed key, Ctrl-C included. Disposal restores the terminal. Does nothing if stdin is no
 * terminal.
 */
function pressedKeys({ stdin }: Pick<Io, 'stdin'>, listener: (key: string) => void): PressedKeys {
  const terminal = stdin as typeof stdin & TerminalInput;
  if (terminal.isTTY !== true || typeof terminal.setRawMode !== 'function')
    return { areRead: false, [Symbol.dispose]: () => undefined };
  const onData = (data: Buffer | string): void => {
    for (const key of data.toString()) listener(key);
  };
  terminal.setRawMode(true);
  terminal.on('data', onData);
  terminal.resume();
  return {
    areRead: true,
    [Symbol.dispose]: () => {
      terminal.off('data', onData);
      terminal.pause();
      terminal.setRawMode?.(false);
    },
  };
}
