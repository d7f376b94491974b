/** One piece of a text with templates. The expressions of all pieces, put together, are the text. */
export type TemplatePart =
  | (TemplateExpression & { readonly kind: 'text'; readonly text: string })
  | (TemplateExpression & { readonly kind: 'variable'; readonly variable: string; readonly default?: string })
  | (TemplateExpression & { readonly kind: 'place'; readonly place: TemplatePlace })
  | (TemplateExpression & { readonly kind: 'unknown'; readonly name: string })
  | (TemplateExpression & { readonly kind: 'malformed' });

/** A piece of a text as it stands there. */
export interface TemplateExpression {
  /** As it is written. */
  readonly expression: string;
  /** Where in the text it starts, in UTF-16 code units. */
  readonly offset: number;
}

/** What `{{…}}` can stand for besides a variable. */
export type TemplatePlace = (typeof templatePlaces)[number];

export const templatePlaces = ['root', 'runtime.python', 'runtime.node'] as const;

// In this order: the two escapes, a `${` that is closed, one that runs to the end of the text, a `{{name}}`, and a
// beginning of one of ours that is not closed. Any other `{{`, as in the templates of other programs, is ordinary text.
const pattern =
  /\$\$\{|\{\{\{\{|\$\{(?<body>[^}]*)\}|\$\{[^}]*|\{\{[ \t]*(?<name>[A-Za-z_][\w.:-]*)[ \t]*\}\}|\{\{[ \t]*(?:root(?![\w.-])|(?:runtime|env)\.[\w.-]*)[ \t]*\}?/g;
const variablePattern = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)$/;
const defaultPattern = /^([A-Za-z_][A-Za-z0-9_]*):-(.*)$/s;
const braceVariablePattern = /^env\.([A-Za-z_][A-Za-z0-9_]*)$/;

/**
 * Takes a text apart: `${NAME}`, `${env:NAME}`, `${NAME:-default}`, `{{env.NAME}}`, `{{root}}`, `{{runtime.python}}`,
 * `{{runtime.node}}`, and text between them. `$${` is the text `${`, and `{{{{` is the text `{{`. A default ends at
 * the first `}`; one that seems to hold a template is malformed, because where it ends is not what it looks like.
 */
export function parseTemplate(text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) parts.push(plainText(text.slice(end, match.index), end));
    parts.push(partOf(match[0], match.index, match.groups ?? {}));
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(plainText(text.slice(end), end));
  return parts;
}

/** A text that stands for `text` itself, whatever templates that seems to hold. */
export function escapeTemplate(text: string): string {
  return text.replace(/\$\{|\{\{/g, (opener) => (opener === '${' ? '$${' : '{{{{'));
}

function plainText(text: string, offset: number): TemplatePart {
  return { kind: 'text', text, expression: text, offset };
}

function partOf(expression: string, offset: number, groups: { body?: string; name?: string }): TemplatePart {
  if (expression === '$${') return { kind: 'text', text: '${', expression, offset };
  if (expression === '{{{{') return { kind: 'text', text: '{{', expression, offset };
  if (groups.name !== undefined) return bracePart(groups.name, expression, offset);

  const withDefault = defaultPattern.exec(groups.body ?? '');
  const variable = withDefault?.[1] ?? variablePattern.exec(groups.body ?? '')?.[1];
  if (variable === undefined || /\$\{|\{\{/.test(withDefault?.[2] ?? ''))
    return { kind: 'malformed', expression, offset };
  return { kind: 'variable', variable, expression, offset, ...(withDefault && { default: withDefault[2] ?? '' }) };
}

function bracePart(name: string, expression: string, offset: number): TemplatePart {
  const place = templatePlaces.find((known) => known === name);
  if (place !== undefined) return { kind: 'place', place, expression, offset };
  const variable = braceVariablePattern.exec(name)?.[1];
  if (variable !== undefined) return { kind: 'variable', variable, expression, offset };
  return { kind: 'unknown', name, expression, offset };
}
