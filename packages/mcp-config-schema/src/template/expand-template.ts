import { nearestName } from '@x/internal/names';
import { checkOption } from '@x/internal/options';
import {
  parseTemplate,
  type TemplateExpression,
  type TemplatePart,
  type TemplatePlace,
  templatePlaces,
} from './parse-template.js';

/** An expanded text and its faults. */
export interface ExpandedTemplate {
  /** Templates with a fault stay unchanged. */
  readonly text: string;
  readonly faults: readonly TemplateFault[];
}

/** Fault of a template. */
export type TemplateFault =
  | (TemplateExpression & { readonly code: 'unset-variable'; readonly variable: string })
  | (TemplateExpression & { readonly code: 'unset-place'; readonly place: TemplatePlace })
  | (TemplateExpression & {
      readonly code: 'unknown-template';
      readonly name: string;
      readonly didYouMean?: string | undefined;
    })
  | (TemplateExpression & { readonly code: 'malformed' });

/** Variables of a template, by name. */
export type TemplateVariables = Readonly<Record<string, string | undefined>>;

/** Values of `{{root}}`, `{{runtime.python}}` and `{{runtime.node}}`; missing ones cannot be expanded. */
export type TemplatePlaces = Readonly<Partial<Record<TemplatePlace, string | undefined>>>;

/**
 * Expands all templates of a text; see `parseTemplate`. The default in `${NAME:-default}` also replaces an empty value,
 * as in a shell. Values are not expanded again.
 */
export function expandTemplate(
  text: string,
  variables: TemplateVariables,
  places: TemplatePlaces = {},
): ExpandedTemplate {
  checkOption('text', { kind: 'other', check: (given) => (typeof given === 'string' ? undefined : 'a text') }, text);
  checkOption('variables', { kind: 'object' }, variables);
  return expandParts(parseTemplate(text), variables, places);
}

export function expandParts(
  parts: readonly TemplatePart[],
  variables: TemplateVariables,
  places: TemplatePlaces,
): ExpandedTemplate {
  const faults: TemplateFault[] = [];
  const texts = parts.map((part) => {
    const value = expandedPart(part, variables, places);
    if (value === undefined) faults.push(faultOf(part, variables));
    return value ?? part.expression;
  });
  return { text: texts.join(''), faults };
}

function expandedPart(part: TemplatePart, variables: TemplateVariables, places: TemplatePlaces): string | undefined {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'place') return ownValue(places, part.place);
  if (part.kind !== 'variable') return undefined;
  const value = ownValue(variables, part.variable);
  return part.default === undefined ? value : value || part.default;
}

function faultOf(part: TemplatePart, variables: TemplateVariables): TemplateFault {
  const { expression, offset } = part;
  if (part.kind === 'variable') return { code: 'unset-variable', variable: part.variable, expression, offset };
  if (part.kind === 'place') return { code: 'unset-place', place: part.place, expression, offset };
  if (part.kind !== 'unknown') return { code: 'malformed', expression, offset };
  return {
    code: 'unknown-template',
    name: part.name,
    didYouMean: suggestionFor(part.name, variables),
    expression,
    offset,
  };
}

function suggestionFor(name: string, variables: TemplateVariables): string | undefined {
  if (ownValue(variables, name) !== undefined) return `env.${name}`;
  const written = /^env[.:_-]?(.+)$/i.exec(name)?.[1];
  if (written !== undefined && ownValue(variables, written) !== undefined) return `env.${written}`;
  return nearestName(name, templatePlaces) ?? templatePlaces.find((place) => place.endsWith(`.${name.toLowerCase()}`));
}

/** Own properties only: `${toString}` is an ordinary variable. */
export function ownValue(values: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

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

/** `variables`, and those of `fallback` that have no value in it. */
export function withFallback(variables: TemplateVariables, fallback: TemplateVariables | undefined): TemplateVariables {
  if (fallback === undefined) return variables;
  return { ...fallback, ...Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined)) };
}
