import { joinHidden, textParts } from '../foreign-text-parts.js';
import { formatCount } from '../format.js';

interface ForeignTextProps {
  readonly text: string;
  /** Makes web addresses clickable. Default `false`. */
  readonly links?: boolean;
  /** Longer texts are cut, because they would block the page. Default 10 000. */
  readonly maxLength?: number;
}

/** Untrusted text, never interpreted. Invisible characters are spelled out, and bidirectional text stays isolated. */
export function ForeignText({ text, links = false, maxLength = 10_000 }: ForeignTextProps) {
  const more = text.length - maxLength;
  return (
    <bdi class="foreign">
      {joinHidden(textParts(more > 0 ? text.slice(0, maxLength) : text)).map((part) => {
        if (part.type === 'hidden') {
          return (
            <span class="hidden-character" title="What does not show">
              {part.text}
            </span>
          );
        }
        if (part.type === 'link' && links) {
          return (
            <a href={part.href} target="_blank" rel="noreferrer noopener nofollow">
              {part.text}
            </a>
          );
        }
        return part.text;
      })}
      {more > 0 && <em class="note"> … {formatCount(more)} more characters are not shown here.</em>}
    </bdi>
  );
}
