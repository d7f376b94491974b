import type { ConfigFault, ConfigPath } from '../issues.js';
import type { SourceText } from '../source/source-text.js';
import {
  expandTemplate,
  type TemplateFault,
  type TemplatePlaces,
  type TemplateVariables,
} from '../template/expand-template.js';
import { keepVariables } from '../template/keep-variables.js';

/** Expands templates of one text and reports what cannot be expanded at its place. */
export type Expand = (text: string, path: ConfigPath) => string;

/** Variables by name, or `keep` to leave references to them in the text, as `${NAME}`. */
export type VariablePolicy = TemplateVariables | 'keep';

/** What templates stand for. */
export interface TemplateScope {
  readonly variables: VariablePolicy;
  readonly placesOf: (source: SourceText) => TemplatePlaces;
}

export function expandIn(source: SourceText, { variables, placesOf }: TemplateScope): Expand {
  const places = placesOf(source);
  const seen = new OccurrenceCounter();
  return (text, path) => {
    const isKept = variables === 'keep';
    const expanded = isKept ? keepVariables(text, places) : expandTemplate(text, variables, places);
    for (const fault of expanded.faults) {
      const nth = seen.before(text, fault, path);
      source.report(faultOf(fault), path, { containing: fault.expression, nth });
    }
    if (expanded.faults.length > 0) seen.add(text, path);
    return expanded.text;
  };
}

/** Tells apart equal templates under one path: in one text, or in the words that a command was split into. */
class OccurrenceCounter {
  readonly #texts = new Map<string, string>();

  before(text: string, { expression, offset }: TemplateFault, path: ConfigPath): number {
    const earlier = this.#texts.get(JSON.stringify(path)) ?? '';
    return countOf(expression, earlier) + countOf(expression, text.slice(0, offset));
  }

  add(text: string, path: ConfigPath): void {
    const key = JSON.stringify(path);
    this.#texts.set(key, `${this.#texts.get(key) ?? ''}${text}\n`);
  }
}

function countOf(part: string, text: string): number {
  return text.split(part).length - 1;
}

function faultOf(fault: TemplateFault): ConfigFault {
  const severity = 'error';
  switch (fault.code) {
    case 'unset-variable': {
      const { variable } = fault;
      const message = `The variable ${variable} is not set`;
      const hint = `set ${variable}, or give a default as in \${${variable}:-value}`;
      return { code: 'unset-variable', severity, message, variable, hint };
    }
    case 'unset-place': {
      const message = `${fault.expression} stands for nothing here`;
      return { code: 'unset-variable', severity, message, variable: fault.place, hint: placeHints[fault.place] };
    }
    case 'unknown-template': {
      const { name, didYouMean } = fault;
      const message = `${fault.expression} is not a template that can be filled in`;
      const hint =
        didYouMean === undefined
          ? 'there are {{root}}, {{runtime.python}}, {{runtime.node}} and {{env.NAME}}; a literal "{{" is "{{{{"'
          : `did you mean {{${didYouMean}}}? A literal "{{" is "{{{{"`;
      return { code: 'unknown-template', severity, message, template: name, didYouMean, hint };
    }
    case 'malformed': {
      const isBrace = fault.expression.startsWith('{{');
      const expected = isBrace
        ? '{{root}}, {{runtime.python}}, {{runtime.node}} or {{env.NAME}}'
        : `\${NAME}, \${NAME:-default} or \${env:NAME}`;
      const literal = isBrace ? '"{{" is "{{{{"' : `"\${" is "$\${"`;
      const message = 'This template is not one that can be expanded';
      const hint = `write ${expected}, all inside one pair of quotes if it holds spaces; a literal ${literal}`;
      return { code: 'invalid-value', severity, message, expected, hint };
    }
  }
}

const placeHints = {
  root: 'it is the root of the project that a file belongs to, so the file must be read from a project',
  'runtime.python': 'make a virtual environment beside the file, for example with "python3 -m venv .venv"',
  'runtime.node': 'it is the Node.js that reads the file, which has to be told',
} as const;
