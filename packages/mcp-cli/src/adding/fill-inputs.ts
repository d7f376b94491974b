import { type Io, UsageError } from '../command.js';
import { askOne, askText, canAsk } from '../output/ask.js';
import { didYouMean, printableLine } from '../output/print.js';
import type { Piece, ServerInput } from './offered-server.js';

/**
 * Values for the inputs of a server: the given ones, defaults, answers of the user on a terminal, and variables for
 * secrets and for what is left. Optional inputs without a value are left out.
 */
export async function fillInputs(
  inputs: readonly ServerInput[],
  { given, isSilent }: { readonly given: ReadonlyMap<string, string>; readonly isSilent: boolean },
  io: Io,
): Promise<ReadonlyMap<string, Piece>> {
  const values = new Map<string, Piece>();
  for (const input of inputs) {
    const value = await chooseValue(input, { given: given.get(input.key), isSilent }, io);
    if (value !== undefined) values.set(input.key, value);
  }
  return values;
}

async function chooseValue(
  input: ServerInput,
  { given, isSilent }: { readonly given: string | undefined; readonly isSilent: boolean },
  io: Io,
): Promise<Piece | undefined> {
  const { isSecret, isRequired, default: fallback, choices, variable } = input;
  if (given !== undefined) requireChoice(input, given);
  const reference = { template: `\${${variable}}` };
  if (isSecret) return isRequired || given !== undefined ? reference : undefined;
  if (given !== undefined) return { template: given };
  if (fallback !== undefined) return { literal: fallback };
  if (!isRequired) return undefined;
  if (isSilent || !canAsk(io)) return reference;
  const question = questionOf(input);
  const answer =
    choices === undefined
      ? await askText(question, io)
      : await askOne(
          question,
          choices.map((value) => ({ value, label: printableLine(value, 100) })),
          io,
        );
  return { literal: answer };
}

function questionOf({ key, description }: ServerInput): string {
  return printableLine(description === undefined ? key : `${key}: ${description}`, 300);
}

function requireChoice({ key, choices }: ServerInput, given: string): void {
  if (choices === undefined || choices.includes(given) || given.includes('${')) return;
  throw new UsageError(
    `The input "${key}" must be one of ${choices.map((choice) => printableLine(choice, 60)).join(', ')}.`,
  );
}

/** Parses `--input KEY=value`. @throws {UsageError} No input has the key. */
export function givenInputs(words: readonly string[], inputs: readonly ServerInput[]): ReadonlyMap<string, string> {
  const keys = inputs.map(({ key }) => key);
  return new Map(
    words.map((word) => {
      const [, key = '', value] = /^([^=]+)=([\s\S]*)$/.exec(word) ?? [];
      if (value === undefined) throw new UsageError(`--input "${word.slice(0, 40)}" must have the form NAME=value.`);
      if (keys.includes(key)) return [key, value];
      const known =
        keys.length > 0
          ? `Its inputs: ${keys.map((each) => printableLine(each, 60)).join(', ')}.`
          : 'It has no inputs.';
      throw new UsageError(`The server has no input "${key}". ${didYouMean(key, keys)}${known}`);
    }),
  );
}
