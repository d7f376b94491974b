import { foreignLine } from '../foreign-text-parts.js';
import { ForeignText } from './foreign-text.js';

/** A unified diff. */
export function DiffText({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a section would not keep the lines as they are.
    <pre class="diff" role="region" aria-label={foreignLine(label, 1_000)} tabIndex={0}>
      {text.split('\n').map((line) => (
        <span class={line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : undefined}>
          <ForeignText text={line} />
          {'\n'}
        </span>
      ))}
    </pre>
  );
}
