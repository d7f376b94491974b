import { type ExpandedTemplate, expandParts, type TemplatePlaces } from './expand-template.js';
import { parseTemplate, type TemplatePart } from './parse-template.js';

/**
 * Fills in `{{root}}`, `{{runtime.python}}` and `{{runtime.node}}`, and leaves each variable as a reference, for a file
 * that somebody else reads and expands: `${env:NAME}` and `{{env.NAME}}` become `${NAME}`, and what is text and holds
 * a `${` is written as `$${`. Nothing else is escaped.
 */
export function keepVariables(text: string, places: TemplatePlaces): ExpandedTemplate {
  return keepParts(parseTemplate(text), places);
}

/** `keepVariables` for a text that is taken apart already. */
export function keepParts(parts: readonly TemplatePart[], places: TemplatePlaces): ExpandedTemplate {
  const faults: ExpandedTemplate['faults'][number][] = [];
  let kept = '';
  let literal = ''; // escaped as a whole: a `$` and a `{` may come from two parts
  for (const part of parts) {
    if (part.kind === 'variable') {
      // After a `$`, which the value of a place may end with, a reference would read as an escape.
      if (literal.endsWith('$')) faults.push({ code: 'malformed', expression: part.expression, offset: part.offset });
      kept += escapeReferences(literal) + reference(part);
      literal = '';
      continue;
    }
    const filled = expandParts([part], {}, places);
    faults.push(...filled.faults);
    literal += filled.text;
  }
  return { text: kept + escapeReferences(literal), faults };
}

/** A text that stands for itself where only `${…}` is expanded. */
export function escapeReferences(text: string): string {
  return text.replaceAll('${', '$$${');
}

function reference(part: TemplatePart & { readonly kind: 'variable' }): string {
  return part.default === undefined ? `\${${part.variable}}` : `\${${part.variable}:-${part.default}}`;
}
