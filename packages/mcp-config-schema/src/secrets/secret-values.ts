import type { SourceText } from '../source/source-text.js';
import type { TemplateVariables } from '../template/expand-template.js';
import { parseTemplate } from '../template/parse-template.js';
import { isPublicVariable } from './public-variables.js';

/** Includes invalid texts. Excludes public variables. */
export function secretValues(sources: readonly SourceText[], variables: TemplateVariables): ReadonlySet<string> {
  const values = new Set<string>();
  for (const text of sources.flatMap((source) => [...source.strings()])) {
    for (const part of parseTemplate(text)) {
      if (part.kind !== 'variable' || isPublicVariable(part.variable)) continue;
      const value = Object.hasOwn(variables, part.variable) ? variables[part.variable] : undefined;
      if (value !== undefined) values.add(value);
    }
  }
  return values;
}
