import { useEffect, useState } from 'preact/hooks';
import { ForeignText } from './foreign-text.js';

interface CopyTextProps {
  readonly label: string;
  readonly text: string;
}

/** A text to take along, with a button that copies it. */
export function CopyText({ label, text }: CopyTextProps) {
  const [outcome, setOutcome] = useState('');
  useEffect(() => setOutcome(''), [text]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setOutcome('Copied'),
      () => setOutcome('The browser does not allow it'),
    );
  return (
    <div class="copy">
      <div class="copy-head">
        <h3>{label}</h3>
        <span role="status" class="note">
          {outcome}
        </span>
        <button type="button" class="small" onClick={() => void copy()}>
          Copy<span class="visually-hidden"> {label}</span>
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would not keep the lines as they are. */}
      <pre role="region" aria-label={label} tabIndex={0}>
        <ForeignText text={text} maxLength={20_000} />
      </pre>
    </div>
  );
}
