/** What a text became, and which of its templates could not be filled in. */
export interface ExpandedTemplate {
  /** The text with values in place. A template with a fault stays as it was written. */
  readonly text: string;
  readonly faults: readonly TemplateFault[];
}

/** A template that could not be filled in; `expression` is how it is written, `offset` where it starts. */
export type TemplateFault =
  | {
      readonly code: 'unset-variable';
      readonly variable: string;
      readonly expression: string;
      readonly offset: number;
    }
  | { readonly code: 'malformed'; readonly expression: string; readonly offset: number };

export type TemplateVariables = Readonly<Record<string, string | undefined>>;

// In this order: the escape, a template that is closed, one that runs to the end of the text.
const templatePattern = /\$\$\{|\$\{([^}]*)\}|\$\{[^}]*/g;
const variablePattern = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)$/;
const defaultPattern = /^([A-Za-z_][A-Za-z0-9_]*):-(.*)$/s;

/**
 * Fills in `${NAME}`, `${env:NAME}` and `${NAME:-default}`; the default also stands in for an empty value, as in a
 * shell. `$${` is a literal `${`. A value is put in as it is: templates inside it are never looked at, and a default
 * ends at the first `}`.
 */
export function expandTemplate(text: string, variables: TemplateVariables): ExpandedTemplate {
  const faults: TemplateFault[] = [];
  const expanded = text.replace(templatePattern, (expression, body: string | undefined, offset: number) => {
    if (expression === '$${') return '${';

    const withDefault = defaultPattern.exec(body ?? '');
    const variable = withDefault?.[1] ?? variablePattern.exec(body ?? '')?.[1];
    if (variable === undefined) {
      faults.push({ code: 'malformed', expression, offset });
      return expression;
    }

    const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
    if (withDefault !== null) return value || (withDefault[2] ?? '');
    if (value === undefined) faults.push({ code: 'unset-variable', variable, expression, offset });
    return value ?? expression;
  });
  return { text: expanded, faults };
}
