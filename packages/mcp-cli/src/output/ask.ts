import type { Readable, Writable } from 'node:stream';
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
): Promise<Value> {
  const { select, isCancel } = await import('@clack/prompts');
  const answer = await select<string>({ message, options: [...options], ...promptOptions(io) });
  if (isCancel(answer)) throw cancelled();
  return answer as Value;
}

/** A text that is not empty. */
export async function askText(message: string, io: Io): Promise<string> {
  const { text, isCancel } = await import('@clack/prompts');
  const validate = (answer: string | undefined) => (answer?.trim() ? undefined : 'Type a value, or press Escape.');
  const answer = await text({ message, validate, ...promptOptions(io) });
  if (isCancel(answer)) throw cancelled();
  return answer;
}

/** Any number of `options`, all of them selected at first. */
export async function askSome(
  message: string,
  options: readonly { readonly value: string; readonly label: string; readonly hint?: string }[],
  io: Io,
): Promise<readonly string[]> {
  const { multiselect, isCancel } = await import('@clack/prompts');
  const answer = await multiselect<string>({
    message,
    options: [...options],
    initialValues: options.map(({ value }) => value),
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
  return { input: stdin, output: stderr as unknown as Writable, signal };
}

function cancelled(): CommandError {
  return new CommandError(exitCodes.interrupted, 'Cancelled. Nothing was written.');
}
