import type { ConfigPath } from '../issues.js';
import type { SourceText } from '../source/source-text.js';
import { expandTemplate, type TemplateVariables } from '../template/expand-template.js';

/** Expands templates of one text and reports what cannot be expanded at its place. */
export type Expand = (text: string, path: ConfigPath) => string;

export function expandIn(source: SourceText, variables: TemplateVariables): Expand {
  return (text, path) => {
    const expanded = expandTemplate(text, variables);
    for (const fault of expanded.faults) {
      const target = { containing: fault.expression };
      if (fault.code === 'unset-variable') {
        const { variable } = fault;
        const message = `The variable ${variable} is not set`;
        const hint = `set ${variable}, or give a default as in \${${variable}:-value}`;
        source.report({ code: 'unset-variable', severity: 'error', message, variable, hint }, path, target);
      } else {
        const expected = `\${NAME}, \${NAME:-default} or \${env:NAME}`;
        const message = 'This template is not one that can be expanded';
        const hint = `write ${expected}, all inside one pair of quotes if it holds spaces; a literal "\${" is "$\${"`;
        source.report({ code: 'invalid-value', severity: 'error', message, expected, hint }, path, target);
      }
    }
    return expanded.text;
  };
}
