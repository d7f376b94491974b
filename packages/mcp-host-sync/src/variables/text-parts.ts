/** A text split at its variables. Adjacent literals are merged. */
export type TextParts = readonly TextPart[];

type TextPart =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string; readonly fallback?: string };

export const variableName = '[A-Za-z_][A-Za-z0-9_]*';

const templatePattern = /\$\$\{|\$\{[^}]*\}?/g;
const bodyPattern = new RegExp(`^\\$\\{(?:env:)?(${variableName})\\}$`);
const fallbackPattern = new RegExp(`^\\$\\{(${variableName}):-(.*)\\}$`, 's');

/**
 * Parses a text in the syntax of this project: `${NAME}`, `${env:NAME}`, `${NAME:-default}`, and `$${` for a literal
 * `${`.
 */
export function parseText(text: string): TextParts | { readonly malformed: string } {
  const parts = new PartList();
  let end = 0;
  for (const match of text.matchAll(templatePattern)) {
    const [expression] = match;
    parts.addLiteral(text.slice(end, match.index));
    end = match.index + expression.length;
    if (expression === '$${') {
      parts.addLiteral('${');
      continue;
    }
    const variable = asVariable(expression);
    if (variable === undefined) return { malformed: expression };
    parts.addVariable(variable);
  }
  parts.addLiteral(text.slice(end));
  return parts.list;
}

/**
 * Inverse of {@link parseText}. Returns `undefined` for a literal `$` directly before a variable, which has no syntax.
 */
export function formatText(parts: TextParts): string | undefined {
  const texts = parts.map((part) =>
    part.kind === 'literal' ? part.text.replaceAll('${', '$$${') : variableText(part),
  );
  const text = texts.join('');
  const isAmbiguous = parts.some((part, index) => part.kind === 'variable' && texts[index - 1]?.endsWith('$'));
  return isAmbiguous ? undefined : text;
}

export function literal(text: string): TextParts {
  return text === '' ? [] : [{ kind: 'literal', text }];
}

/** Collects parts and merges adjacent literals. */
export class PartList {
  readonly #parts: TextPart[] = [];

  get list(): TextParts {
    return this.#parts;
  }

  addLiteral(text: string): void {
    if (text === '') return;
    const last = this.#parts.at(-1);
    if (last?.kind === 'literal') this.#parts[this.#parts.length - 1] = { kind: 'literal', text: last.text + text };
    else this.#parts.push({ kind: 'literal', text });
  }

  addVariable(variable: { readonly name: string; readonly fallback?: string }): void {
    this.#parts.push({ kind: 'variable', ...variable });
  }
}

function asVariable(expression: string): { name: string; fallback?: string } | undefined {
  const [, plain] = bodyPattern.exec(expression) ?? [];
  if (plain !== undefined) return { name: plain };
  const [, name, fallback] = fallbackPattern.exec(expression) ?? [];
  return name === undefined || fallback === undefined ? undefined : { name, fallback };
}

function variableText({ name, fallback }: { readonly name: string; readonly fallback?: string }): string {
  return fallback === undefined ? `\${${name}}` : `\${${name}:-${fallback}}`;
}
