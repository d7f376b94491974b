import { joinHidden, textParts } from '../foreign-text-parts.js';

interface ForeignTextProps {
  readonly text: string;
  /** Whether web addresses in it can be followed. Default `false`. */
  readonly links?: boolean;
  /** A text may be as long as a message; whoever draws all of it draws nothing else for a while. Default 10 000. */
  readonly maxLength?: number;
}

/**
 * Text that comes from a server or a file: shown and never interpreted. What would not show is spelled out, and nothing
 * in it reorders what is around it.
 */
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
      {more > 0 && <em class="note"> … {more.toLocaleString('en')} more characters are not shown here.</em>}
    </bdi>
  );
}
