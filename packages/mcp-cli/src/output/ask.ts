import { type Readable, Writable } from 'node:stream';
import { CommandError, exitCodes, type Io } from '../command.js';

/** True if a user can be prompted: stdin and stderr are both terminals. */
export function canAsk({ stdin, stderr }: Pick<Io, 'stdin' | 'stderr'>): boolean {
  return stderr.isTTY === true && (stdin as { readonly isTTY?: boolean }).isTTY === true;
}

/**
 * Prompts on stderr, so that stdout contains only the result.
 *
 * @throws {CommandError} The user pressed Escape, Ctrl-C or Ctrl-D, or the terminal is closed.
 */
export async function askYesNo(message: string, io: Io): Promise<boolean> {
  return await answered(({ confirm }, each) => confirm({ message, initialValue: false, ...each }), io);
}

export async function askOne<Value extends string>(
  message: string,
  options: readonly { readonly value: Value; readonly label: string; readonly hint?: string }[],
  io: Io,
  { initial }: { readonly initial?: Value | undefined } = {},
): Promise<Value> {
  const initialValue = initial === undefined ? {} : { initialValue: initial };
  const question = { message, options: [...options], ...initialValue };
  return (await answered(({ select }, each) => select<string>({ ...question, ...each }), io)) as Value;
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
  const question = {
    message,
    validate: (typed: string | undefined) => check(typed || (fallback ?? '')),
    ...(fallback !== undefined && { placeholder: fallback, defaultValue: fallback }),
  };
  return (await answered(({ text }, each) => text({ ...question, ...each }), io)) ?? '';
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
  const question = { message, options: [...options], initialValues: [...initial], required: false };
  return await answered(({ multiselect }, each) => multiselect<string>({ ...question, ...each }), io);
}

/** Shows no character of the answer. `undefined` for an empty one. */
export async function askSecret(message: string, io: Io): Promise<string | undefined> {
  const answer = await answered(({ password }, each) => password({ message, ...each }), io);
  return answer === '' || answer === undefined ? undefined : answer;
}

interface PromptOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/** Prompts wait forever once Ctrl-D or its end has closed stdin, and leave a listener on their signal. */
async function answered<Answer>(
  prompt: (clack: typeof import('@clack/prompts'), options: PromptOptions) => Promise<Answer>,
  { stdin, stderr, signal }: Io,
): Promise<Exclude<Answer, symbol>> {
  const clack = await import('@clack/prompts');
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const onKey = (_text: unknown, key?: { readonly ctrl?: boolean; readonly name?: string }): void => {
    if (key?.ctrl && key.name === 'd') end();
  };
  stdin.on('keypress', onKey).once('end', end);
  if (stdin.readableEnded) end();
  try {
    // A stream whose isTTY is true is a full stream.
    const terminal = stderr as unknown as Writable;
    const output = stderr.columns === 0 ? withColumns(terminal) : terminal;
    const answer = await prompt(clack, { input: stdin, output, signal: AbortSignal.any([signal, ended.signal]) });
    if (clack.isCancel(answer)) throw cancelled();
    return answer as Exclude<Answer, symbol>; // the only symbol is that of a cancelled prompt
  } finally {
    stdin.off('keypress', onKey).off('end', end);
  }
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
