interface SearchFieldProps {
  /** Name and placeholder. */
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** Words of a filter. */
export function SearchField({ label, value, onValue }: SearchFieldProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      maxLength={256}
      autocomplete="off"
      spellcheck={false}
      onInput={({ currentTarget }) => onValue(currentTarget.value)}
    />
  );
}
