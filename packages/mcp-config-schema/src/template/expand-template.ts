import { nearestName } from '@x/internal/names';
import {
  parseTemplate,
  type TemplateExpression,
  type TemplatePart,
  type TemplatePlace,
  templatePlaces,
} from './parse-template.js';

/** What a text became, and which of its templates could not be filled in. */
export interface ExpandedTemplate {
  /** The text with values in place. A template with a fault stays as it was written. */
  readonly text: string;
  readonly faults: readonly TemplateFault[];
}

/** A template that could not be filled in. */
export type TemplateFault =
  | (TemplateExpression & { readonly code: 'unset-variable'; readonly variable: string })
  | (TemplateExpression & { readonly code: 'unset-place'; readonly place: TemplatePlace })
  | (TemplateExpression & {
      readonly code: 'unknown-template';
      readonly name: string;
      readonly didYouMean?: string | undefined;
    })
  | (TemplateExpression & { readonly code: 'malformed' });

/** Environment variables by name. */
export type TemplateVariables = Readonly<Record<string, string | undefined>>;

/** What `{{root}}`, `{{runtime.python}}` and `{{runtime.node}}` stand for; what is left out cannot be filled in. */
export type TemplatePlaces = Readonly<Partial<Record<TemplatePlace, string | undefined>>>;

/**
 * Fills in every template of a text; see `parseTemplate` for what there is. The default of `${NAME:-default}` also
 * stands in for an empty value, as in a shell. A value is put in as it is: templates inside it are never looked at.
 */
export function expandTemplate(
  text: string,
  variables: TemplateVariables,
  places: TemplatePlaces = {},
): ExpandedTemplate {
  return expandParts(parseTemplate(text), variables, places);
}

/** `expandTemplate` for a text that is taken apart already. */
export function expandParts(
  parts: readonly TemplatePart[],
  variables: TemplateVariables,
  places: TemplatePlaces,
): ExpandedTemplate {
  const faults: TemplateFault[] = [];
  const texts = parts.map((part) => {
    const value = filledIn(part, variables, places);
    if (value === undefined) faults.push(faultOf(part, variables));
    return value ?? part.expression;
  });
  return { text: texts.join(''), faults };
}

function filledIn(part: TemplatePart, variables: TemplateVariables, places: TemplatePlaces): string | undefined {
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
  return { code: 'unknown-template', name: part.name, didYouMean: meantBy(part.name, variables), expression, offset };
}

function meantBy(name: string, variables: TemplateVariables): string | undefined {
  if (ownValue(variables, name) !== undefined) return `env.${name}`;
  const written = /^env[.:_-]?(.+)$/i.exec(name)?.[1];
  if (written !== undefined && ownValue(variables, written) !== undefined) return `env.${written}`;
  return nearestName(name, templatePlaces) ?? templatePlaces.find((place) => place.endsWith(`.${name.toLowerCase()}`));
}

/** Only own properties count: `${toString}` is a variable like any other. */
function ownValue(values: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
