import { useState } from 'preact/hooks';
import { foreignLine } from '../foreign-text-parts.js';

/** Properties of an input that the label and the texts around it refer to. */
export interface SharedProps {
  readonly id: string;
  readonly 'aria-required': boolean;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
  readonly onBlur: () => void;
}

interface InputProps {
  readonly value: unknown;
  /** `undefined`: it is left out. */
  readonly onValue: (value: unknown) => void;
  readonly fallback?: unknown;
  readonly shared: SharedProps;
}

const keyboards: Readonly<Record<string, 'email' | 'url'>> = { email: 'email', uri: 'url' };

/** A text; one without a format may have several lines. */
export function TextInput({
  value,
  onValue,
  fallback,
  format,
  shared,
}: InputProps & { readonly format?: string | undefined }) {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  const change = (typed: string) => onValue(typed === '' ? undefined : typed);
  const props = { ...shared, value: text, placeholder: placeholderOf(fallback), spellcheck: false } as const;
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    change(currentTarget.value);
  // An input for dates shows nothing but dates.
  if (format === 'date' && (text === '' || /^\d{4}-\d\d-\d\d$/.test(text))) {
    return <input {...props} type="date" onInput={onInput} />;
  }
  if (format !== undefined) {
    return (
      <input {...props} type="text" inputMode={keyboards[format] ?? 'text'} autocomplete="off" onInput={onInput} />
    );
  }
  return <textarea {...props} rows={1} onInput={onInput} />;
}

/** Text that is no number stays as it is typed, for the check to report. */
export function NumberInput({ value, onValue, fallback, shared }: InputProps) {
  const [typed, setTyped] = useState('');
  const text = value === undefined ? '' : numberOf(typed) === value ? typed : String(value);
  return (
    <input
      {...shared}
      type="text"
      inputMode="decimal"
      autocomplete="off"
      value={text}
      placeholder={placeholderOf(fallback)}
      onInput={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onValue(numberOf(currentTarget.value));
      }}
    />
  );
}

/** The number; `undefined` for nothing, and the text for what is no number or would be rounded. */
function numberOf(typed: string): unknown {
  const text = typed.trim();
  if (text === '') return undefined;
  const number = Number(text);
  const isExact = !Number.isInteger(number) || Number.isSafeInteger(number);
  return Number.isFinite(number) && isExact && /^[-+\d.eE]+$/.test(text) ? number : typed;
}

/** A value for which there is no form. */
export function JsonInput({ value, onValue, fallback, shared }: InputProps) {
  const [typed, setTyped] = useState('');
  const text = value === undefined ? '' : isSame(parsed(typed), value) ? typed : JSON.stringify(value, null, 2);
  return (
    <textarea
      {...shared}
      class="json"
      rows={2}
      value={text}
      placeholder={fallback === undefined ? 'JSON' : placeholderOf(fallback)}
      spellcheck={false}
      onInput={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onValue(currentTarget.value.trim() === '' ? undefined : parsed(currentTarget.value));
      }}
    />
  );
}

/** The value; a text that is no JSON is the text itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function placeholderOf(fallback: unknown): string | undefined {
  if (fallback === undefined) return undefined;
  return foreignLine(`default: ${typeof fallback === 'string' ? fallback : JSON.stringify(fallback)}`);
}
