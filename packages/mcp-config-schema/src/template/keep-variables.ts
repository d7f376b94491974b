import { type ExpandedTemplate, expandParts, type TemplatePlaces } from './expand-template.js';
import { parseTemplate, type TemplatePart } from './parse-template.js';

/**
 * Expands places and keeps variables as references, for a file that another program expands: `${env:NAME}` and
 * `{{env.NAME}}` become `${NAME}`, and a literal `${` becomes `$${`. Nothing else is escaped.
 */
export function keepVariables(text: string, places: TemplatePlaces): ExpandedTemplate {
  return keepParts(parseTemplate(text), places);
}

export function keepParts(parts: readonly TemplatePart[], places: TemplatePlaces): ExpandedTemplate {
  const faults: ExpandedTemplate['faults'][number][] = [];
  let kept = '';
  let literal = ''; // escaped as a whole, because `$` and `{` may come from two parts
  for (const part of parts) {
    if (part.kind === 'variable') {
      // After a `$`, for example at the end of a place's value, a reference would read as an escape.
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

/** Escapes a text for readers that expand only `${…}`. */
export function escapeReferences(text: string): string {
  return text.replaceAll('${', '$$${');
}

function reference(part: TemplatePart & { readonly kind: 'variable' }): string {
  return part.default === undefined ? `\${${part.variable}}` : `\${${part.variable}:-${part.default}}`;
}
