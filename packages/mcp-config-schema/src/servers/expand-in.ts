import { maskSecrets } from '@x/internal/secrets';
import { quoted } from '@x/internal/text';
import type { ConfigFault, ConfigPath } from '../issues.js';
import { isPublicVariable } from '../secrets/secret-values.js';
import type { SourceText } from '../source/source-text.js';
import {
  type ExpandedTemplate,
  expandParts,
  keepParts,
  type TemplateFault,
  type TemplatePlaces,
  type TemplateVariables,
} from '../template/expand-template.js';
import { asInVscode, parseTemplate, promptInput, type TemplatePart } from '../template/parse-template.js';

/** Expands the templates of texts at one path, and reports faults at their positions. */
export type Expand = (texts: readonly string[], path: ConfigPath) => readonly ExpandedText[];

export interface ExpandedText {
  readonly text: string;
  /** True if the text contains the value of a variable, which may be secret. */
  readonly isSensitive: boolean;
}

/** Variables by name, or `keep` to leave references as `${NAME}`. */
export type VariablePolicy = TemplateVariables | 'keep';

export interface TemplateScope {
  readonly variables: VariablePolicy;
  readonly places: TemplatePlaces;
  /** Set for a file of VS Code, which has additional names. */
  readonly vscode?: { readonly home: string | undefined } | undefined;
  /** Called for each variable or place without a value. The fault is then a warning. */
  readonly onUnset?: ((name: string) => void) | undefined;
}

export function expandIn(source: SourceText, scope: TemplateScope): Expand {
  return (texts, path) => {
    const parsed = texts.map((text) => partsOf(text, scope));
    const expanded = parsed.map((parts) => expand(parts, scope));
    if (expanded.some(({ faults }) => faults.length > 0)) reportFaults(source, path, parsed, expanded, scope);
    return parsed.map((parts, index) => ({
      text: expanded[index]?.text ?? '',
      isSensitive: parts.some((part) => isSensitive(part, scope)),
    }));
  };
}

function partsOf(text: string, { vscode }: TemplateScope): readonly TemplatePart[] {
  const parts = parseTemplate(text);
  return vscode === undefined ? parts : asInVscode(parts, vscode.home);
}

function expand(parts: readonly TemplatePart[], { variables, places }: TemplateScope): ExpandedTemplate {
  return variables === 'keep' ? keepParts(parts, places) : expandParts(parts, variables, places);
}

function isSensitive(part: TemplatePart, { variables }: TemplateScope): boolean {
  if (part.kind !== 'variable' || variables === 'keep' || isPublicVariable(part.variable)) return false;
  return Object.hasOwn(variables, part.variable) && Boolean(variables[part.variable]);
}

function reportFaults(
  source: SourceText,
  path: ConfigPath,
  parsed: readonly (readonly TemplatePart[])[],
  expanded: readonly ExpandedTemplate[],
  scope: TemplateScope,
): void {
  // Searches each piece after the previous one, also valid templates and escapes, because they share characters.
  const pieces = parsed.map((parts) => parts.filter((part) => part.kind !== 'text' || part.text !== part.expression));
  const places = source.locate(
    path,
    pieces.flat().map((part) => part.expression),
  );
  let before = 0;
  for (const [index, ofText] of pieces.entries()) {
    const offsetOf = new Map(ofText.map((part, nth) => [part.offset, places[before + nth]]));
    before += ofText.length;
    for (const fault of expanded[index]?.faults ?? []) {
      const at = offsetOf.get(fault.offset);
      source.report(faultOf(fault, scope), path, at === undefined ? {} : { at });
      if (fault.code === 'unset-variable') scope.onUnset?.(fault.variable);
      if (fault.code === 'unset-place') scope.onUnset?.(fault.place);
    }
  }
}

function faultOf(fault: TemplateFault, { vscode, onUnset }: TemplateScope): ConfigFault {
  const severity = 'error';
  switch (fault.code) {
    case 'unset-variable': {
      const { variable } = fault;
      const message = `The variable ${variable} is not set`;
      const hint = `set ${variable}, or give a default as in \${${variable}:-value}`;
      return { code: 'unset-variable', severity: onUnset ? 'warning' : severity, message, variable, hint };
    }
    case 'unset-place': {
      const message = `${fault.expression} has no value here`;
      const hint = placeHints[fault.place];
      return { code: 'unset-variable', severity: onUnset ? 'warning' : severity, message, variable: fault.place, hint };
    }
    case 'unknown-template': {
      const { name, didYouMean } = fault;
      const message = `${fault.expression} is not a known template`;
      const hint =
        didYouMean === undefined
          ? 'known templates: {{root}}, {{runtime.python}}, {{runtime.node}} and {{env.NAME}}; a literal "{{" is "{{{{"'
          : `did you mean {{${didYouMean}}}? A literal "{{" is "{{{{"`;
      return { code: 'unknown-template', severity, message, template: name, didYouMean, hint };
    }
    case 'malformed': {
      const input = vscode && promptInput(fault.expression);
      return input === undefined ? malformed(fault.expression) : prompted(input, fault.expression);
    }
  }
}

function malformed(expression: string): ConfigFault {
  const isBrace = expression.startsWith('{{');
  const expected = isBrace
    ? '{{root}}, {{runtime.python}}, {{runtime.node}} or {{env.NAME}}'
    : `\${NAME}, \${NAME:-default} or \${env:NAME}`;
  const base = { code: 'invalid-value', severity: 'error', expected } as const;
  if (/^\$\{\w+:-/.test(expression) && expression.endsWith('}')) {
    const message = 'A default must not contain templates, but this one seems to';
    return { ...base, message, hint: 'write the default out; it ends at the first "}"' };
  }
  const message = `${shown(expression)} cannot be expanded`;
  const reference = secretReferenceOf(expression);
  if (reference !== undefined) {
    const written = `{ secret_ref: ${quoted(reference)} }`;
    return { ...base, message, hint: `for a secret write ${written} in place of the text, in "env" or "headers"` };
  }
  const literal = isBrace ? '"{{" is "{{{{"' : `"\${" is "$\${"`;
  const hint = `write ${expected}, in one pair of quotes if it contains spaces; a literal ${literal}`;
  return { ...base, message, hint };
}

/** A short template without anything that looks secret. */
function shown(expression: string): string {
  return expression.length <= 80 && maskSecrets(expression) === expression ? expression : 'This template';
}

const secretTemplate =
  /^\$\{(?:secrets?|secret_ref)[:.](?<reference>[^}]+)\}$|^\$\{(?<scheme>(?:file|command|keychain):[^}]+)\}$/;

/** The reference that a template for a secret means, as in other programs: `env:X` of `${secret:env:X}`. */
function secretReferenceOf(expression: string): string | undefined {
  const { reference, scheme = reference } = secretTemplate.exec(expression)?.groups ?? {};
  return scheme === undefined || scheme.includes(':') ? scheme : `env:${scheme}`;
}

function prompted(input: string, expression: string): ConfigFault {
  const message = `Only VS Code can ask its user for ${expression}, so this server is left out here`;
  const hint = `to run it here too, declare it in mcp_servers.yaml with a variable or a secret_ref in its place`;
  return { code: 'prompted-value', severity: 'warning', message, input, hint };
}

const placeHints = {
  root: 'it is the project root of a file, so the file must be in a project',
  'runtime.python': 'create a virtual environment next to the file, for example with "python3 -m venv .venv"',
  'runtime.node': 'it is the Node.js of the reading program, which must pass it',
} as const;
