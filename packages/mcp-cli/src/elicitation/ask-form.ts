import type { Io } from '../command.js';
import { askOne, askSome, askText } from '../output/ask.js';
import { printable, printableLine } from '../output/print.js';
import { checkCount, checkTyped, type FieldValue, type FormField, formFields, looksSecret } from './form-fields.js';

export type ElicitResult =
  | { readonly action: 'decline' | 'cancel' }
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, FieldValue>> };

const maxLineLength = 300;

/**
 * Asks the fields of a form one by one and sends them after a review.
 *
 * @throws {CommandError} The user pressed Escape, Ctrl-C or Ctrl-D.
 */
export async function askForm(server: string, requestedSchema: unknown, io: Io): Promise<ElicitResult> {
  const fields = formFields(requestedSchema);
  warnOfSecrets(fields, io);
  const number = fields.length === 1 ? '1 field' : `${fields.length} fields`;
  const ways = [
    { value: 'accept', label: fields.length === 0 ? 'Yes' : `Answer (${number})` },
    { value: 'decline', label: 'Decline' },
    { value: 'cancel', label: 'Cancel' },
  ] as const;
  const initial = fields.some(looksSecret) ? 'decline' : 'accept';
  const action = await askOne(`Answer "${server}"?`, ways, io, { initial });
  if (action !== 'accept') return { action };
  if (fields.length === 0) return { action, content: {} };
  let values: ReadonlyMap<string, FieldValue> = new Map();
  for (;;) {
    const answers = new Map<string, FieldValue>();
    for (const field of fields) {
      const value = await askField(field, values.get(field.name), io);
      if (value === undefined && field.isRequired) return { action: 'cancel' };
      answers.set(field.name, value);
    }
    const next = await askOne(`Send this to "${server}"?`, review, io);
    if (next === 'decline') return { action: next };
    if (next === 'send') return { action, content: contentOf(answers) };
    values = answers;
  }
}

const review = [
  { value: 'send', label: 'Send' },
  { value: 'change', label: 'Change the answers' },
  { value: 'decline', label: 'Decline' },
] as const;

function warnOfSecrets(fields: readonly FormField[], { stderr }: Io): void {
  const names = fields.filter(looksSecret).map(({ name }) => `"${printableLine(name, maxLineLength)}"`);
  if (names.length === 0) return;
  stderr.write(
    `warning: ${names.join(', ')} looks like a secret. Servers must not request secrets in a form: what you type is shown here, and the server gets it as plain text. Decline if in doubt.\n`,
  );
}

function contentOf(answers: ReadonlyMap<string, FieldValue>): Readonly<Record<string, FieldValue>> {
  return Object.fromEntries([...answers].filter(([, value]) => value !== undefined));
}

/** @param earlier - The user's answer before a change. Default: the default of the server. */
async function askField(field: FormField, earlier: FieldValue, io: Io): Promise<FieldValue> {
  const message = questionOf(field);
  switch (field.kind) {
    case 'flag': {
      const initial = earlier ?? field.fallback;
      const choices = [
        { value: 'yes', label: 'Yes' },
        { value: 'no', label: 'No' },
      ];
      const answer = await choose(
        message,
        choices,
        field,
        initial === undefined ? undefined : initial ? 'yes' : 'no',
        io,
      );
      return answer === undefined ? undefined : answer === 'yes';
    }
    case 'choice':
      return await choose(message, field.choices, field, (earlier as string | undefined) ?? field.fallback, io);
    case 'choices':
      return await chooseSome(message, field, (earlier as readonly string[] | undefined) ?? field.fallback, io);
    default: {
      const before = earlier ?? field.fallback;
      const fallback = before === undefined ? undefined : shownWhole(String(before));
      const typed = await askText(message, io, { fallback, check: (text) => checkTyped(field, text) });
      if (typed === '') return undefined;
      return field.kind === 'number' ? Number(typed) : typed;
    }
  }
}

/** Omits a default that the terminal cannot show as it is: Enter would send hidden text. */
function shownWhole(text: string): string | undefined {
  return text.length <= maxLineLength && !/[\n\t]/.test(text) && printable(text) === text ? text : undefined;
}

/** An index as the value, because a server may use any text. */
async function choose(
  message: string,
  choices: readonly { readonly value: string; readonly label: string }[],
  { isRequired }: FormField,
  initial: string | undefined,
  io: Io,
): Promise<string | undefined> {
  const options = [
    ...choices.map(({ label }, index) => ({ value: String(index), label: shownLabel(label) })),
    ...(isRequired ? [] : [{ value: '', label: '(no answer)' }]),
  ];
  const index = choices.findIndex(({ value }) => value === initial);
  const none = isRequired ? '0' : '';
  const answer = await askOne(message, options, io, { initial: index === -1 ? none : String(index) });
  return answer === '' ? undefined : choices[Number(answer)]?.value;
}

async function chooseSome(
  message: string,
  field: FormField & { readonly kind: 'choices' },
  initial: readonly string[] | undefined,
  io: Io,
): Promise<readonly string[] | undefined> {
  const options = field.choices.map(({ label }, index) => ({ value: String(index), label: shownLabel(label) }));
  let selected = field.choices.flatMap(({ value }, index) => (initial?.includes(value) ? [String(index)] : []));
  for (;;) {
    const answer = await askSome(message, options, io, { initial: selected });
    if (answer.length === 0) return field.isRequired || field.minItems > 0 ? undefined : [];
    const fault = checkCount(field, answer.length);
    if (fault === undefined) return answer.flatMap((index) => field.choices[Number(index)]?.value ?? []);
    io.stderr.write(`${fault}\n`);
    selected = [...answer];
  }
}

function questionOf(field: FormField): string {
  const { name, title, description, isRequired } = field;
  const shown = printableLine(title ?? name, maxLineLength) || printableLine(name, maxLineLength);
  const facts = [...(isRequired ? ['required, empty cancels'] : ['optional']), ...kindOf(field)];
  const more = description === undefined ? '' : `\n${printableLine(description, 2 * maxLineLength)}`;
  return `${shown} (${facts.join(', ')})${more}`;
}

function kindOf(field: FormField): readonly string[] {
  switch (field.kind) {
    case 'number': {
      const { minimum, maximum, isInteger } = field;
      const range = [
        ...(Number.isFinite(minimum) ? [`at least ${minimum}`] : []),
        ...(Number.isFinite(maximum) ? [`at most ${maximum}`] : []),
      ];
      return [isInteger ? 'a whole number' : 'a number', ...range];
    }
    case 'text': {
      const length = countOf(field.minLength, field.maxLength);
      return [
        ...(field.format === undefined ? [] : [printableLine(field.format, 40)]),
        ...(length === undefined ? [] : [`${length} characters`]),
      ];
    }
    case 'choices':
      return [`${countOf(field.minItems, field.maxItems) ?? 'any number'} of these`];
    default:
      return [];
  }
}

/** Such as `2 to 5`. `undefined` without bounds. */
function countOf(least: number, most: number): string | undefined {
  if (!Number.isFinite(most)) return least > 0 ? `at least ${least}` : undefined;
  if (least <= 0) return `at most ${most}`;
  return least === most ? String(least) : `${least} to ${most}`;
}

function shownLabel(label: string): string {
  return printableLine(printable(label), maxLineLength) || '(empty)';
}
