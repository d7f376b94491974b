/** A part of a text with templates. The expressions of all parts form the text. */
export type TemplatePart =
  | (TemplateExpression & { readonly kind: 'text'; readonly text: string })
  | (TemplateExpression & { readonly kind: 'variable'; readonly variable: string; readonly default?: string })
  | (TemplateExpression & { readonly kind: 'place'; readonly place: TemplatePlace })
  | (TemplateExpression & { readonly kind: 'unknown'; readonly name: string })
  | (TemplateExpression & { readonly kind: 'malformed' });

/** An expression in a template. */
export interface TemplateExpression {
  readonly expression: string;
  /** Offset in UTF-16 code units. */
  readonly offset: number;
}

/** Names in `{{…}}` other than variables. */
export type TemplatePlace = (typeof templatePlaces)[number];

export const templatePlaces = ['root', 'runtime.python', 'runtime.node'] as const;

// In order: escapes, a closed `${`, an unclosed one up to the end, `{{name}}`, the unclosed start of a known name. Any
// other `{{`, such as in templates of other programs, is plain text.
const pattern =
  /\$\$\{|\{\{\{\{|\$\{(?<body>[^}]*)\}|\$\{[^}]*|\{\{[ \t]*(?<name>[A-Za-z_][\w.:-]*)[ \t]*\}\}|\{\{[ \t]*(?:root(?![\w.-])|(?:runtime|env)\.[\w.-]*)[ \t]*\}?/g;
const variablePattern = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)$/;
const defaultPattern = /^([A-Za-z_][A-Za-z0-9_]*):-(.*)$/s;
const braceVariablePattern = /^env\.([A-Za-z_][A-Za-z0-9_]*)$/;

/**
 * Splits a text into templates and plain text. `$${` is the text `${`, and `{{{{` is `{{`. A default ends at the first
 * `}`; one that seems to contain a template is malformed.
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

/** Escapes a text so that it contains no templates. */
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

/**
 * Applies the names of VS Code in its `mcp.json`: `${workspaceFolder}` is the root, `${userHome}` the home directory.
 */
export function asInVscode(parts: readonly TemplatePart[], home: string | undefined): readonly TemplatePart[] {
  return parts.map((part): TemplatePart => {
    const { expression, offset } = part;
    if (expression === workspaceFolder) return { kind: 'place', place: 'root', expression, offset };
    if (expression === userHome && home !== undefined) return { kind: 'text', text: home, expression, offset };
    return part;
  });
}

/** The input of a prompt in VS Code: `token` of `${input:token}`. */
export function promptInput(expression: string): string | undefined {
  return /^\$\{input:([^}]+)\}$/.exec(expression)?.[1];
}

const workspaceFolder = `\${workspaceFolder}`;
const userHome = `\${userHome}`;
