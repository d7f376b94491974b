import { type Readable, Writable } from 'node:stream';
import { CommandError, exitCodes, type Io } from '../command.js';

/** True if a user can be prompted: stdin and stderr are both terminals. */
export function canAsk({ stdin, stderr }: Pick<Io, 'stdin' | 'stderr'>): boolean {
  return stderr.isTTY === true && (stdin as { readonly isTTY?: boolean }).isTTY === true;
}

/**
 * Prompts on stderr, so that stdout contains only the result.
 *
 * @throws {CommandError} The user pressed Escape or Ctrl-C.
 */
export async function askYesNo(message: string, io: Io): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message, initialValue: false, ...promptOptions(io) });
  if (isCancel(answer)) throw cancelled();
  return answer;
}

export async function askOne<Value extends string>(
  message: string,
  options: readonly { readonly value: Value; readonly label: string; readonly hint?: string }[],
  io: Io,
  { initial }: { readonly initial?: Value | undefined } = {},
): Promise<Value> {
  const { select, isCancel } = await import('@clack/prompts');
  const initialValue = initial === undefined ? {} : { initialValue: initial };
  const answer = await select<string>({ message, options: [...options], ...initialValue, ...promptOptions(io) });
  if (isCancel(answer)) throw cancelled();
  return answer as Value;
}

interface AskTextOptions {
  /** Shown, and the answer of Enter alone. Default: none. */
  readonly fallback?: string | undefined;
  /** Returns what is wrong with an answer, which can then be changed. Default: refuses empty ones. */
  readonly check?: ((answer: string) => string | undefined) | undefined;
}

/** Empty only if `check` accepts that. */
export async function askText(
  message: string,
  io: Io,
  { fallback, check = notEmpty }: AskTextOptions = {},
): Promise<string> {
  const { text, isCancel } = await import('@clack/prompts');
  const answer = await text({
    message,
    validate: (typed) => check(typed || (fallback ?? '')),
    ...(fallback !== undefined && { placeholder: fallback, defaultValue: fallback }),
    ...promptOptions(io),
  });
  if (isCancel(answer)) throw cancelled();
  return answer ?? '';
}

function notEmpty(answer: string): string | undefined {
  return answer.trim() ? undefined : 'Type a value, or press Escape.';
}

/** Any number of `options`. `initial`: those selected at first. Default: all. */
export async function askSome(
  message: string,
  options: readonly { readonly value: string; readonly label: string; readonly hint?: string }[],
  io: Io,
  { initial = options.map(({ value }) => value) }: { readonly initial?: readonly string[] | undefined } = {},
): Promise<readonly string[]> {
  const { multiselect, isCancel } = await import('@clack/prompts');
  const answer = await multiselect<string>({
    message,
    options: [...options],
    initialValues: [...initial],
    required: false,
    ...promptOptions(io),
  });
  if (isCancel(answer)) throw cancelled();
  return answer;
}

/** Shows no character of the answer. `undefined` for an empty one. */
export async function askSecret(message: string, io: Io): Promise<string | undefined> {
  const { password, isCancel } = await import('@clack/prompts');
  const answer = await password({ message, ...promptOptions(io) });
  if (isCancel(answer)) throw cancelled();
  return answer === '' || answer === undefined ? undefined : answer;
}

function promptOptions({ stdin, stderr, signal }: Io): { input: Readable; output: Writable; signal: AbortSignal } {
  // A stream whose isTTY is true is a full stream.
  const output = stderr as unknown as Writable;
  return { input: stdin, output: stderr.columns === 0 ? withColumns(output) : output, signal };
}

/** For a terminal of unknown size, which says 0: prompts would write one character a line. */
function withColumns(terminal: Writable): Writable {
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => void terminal.write(chunk, encoding, done),
  });
  return Object.assign(output, { isTTY: true, columns: 80, rows: 24 });
}

function cancelled(): CommandError {
  return new CommandError(exitCodes.interrupted, 'Cancelled. Nothing was written.');
}
