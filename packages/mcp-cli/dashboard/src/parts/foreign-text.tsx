import { textParts } from '../foreign-text-parts.js';

/**
 * Text that comes from a server or a file: shown and never interpreted. What would not show is spelled out, and nothing
 * in it reorders what is around it.
 */
export function ForeignText({ text, links = false }: { readonly text: string; readonly links?: boolean }) {
  return (
    <bdi class="foreign">
      {textParts(text).map((part) => {
        if (part.type === 'hidden') {
          return (
            <span class="hidden-character" title="A character that does not show">
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
    </bdi>
  );
}
