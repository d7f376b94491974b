import type { EntryField, VariableSupport, VariableSyntax } from '../adapters/host-adapter.js';
import type { HostFault } from '../host-issue.js';
import { PartList, type TextParts, variableName } from './text-parts.js';

interface Spelling {
  /** Capture groups: name, default, name without braces. */
  readonly pattern: RegExp;
  readonly write: (name: string) => string;
  /** Matches any text that the host may replace, not only variables. */
  readonly special: RegExp;
}

const spellings: Readonly<Record<VariableSyntax, Spelling>> = {
  brace: {
    pattern: new RegExp(`\\$\\{(${variableName})(?::-([^}]*))?\\}`, 'g'),
    write: (name) => `\${${name}}`,
    special: /\$\{/,
  },
  'brace-or-env': {
    pattern: new RegExp(`\\$\\{(${variableName})(?::-([^}]*))?\\}|^\\$env:(${variableName})$`, 'g'),
    write: (name) => `\${${name}}`,
    special: /\$\{|\$env:/,
  },
  'env-prefix': {
    pattern: new RegExp(`\\$\\{env:(${variableName})\\}`, 'g'),
    write: (name) => `\${env:${name}}`,
    special: /\$\{/,
  },
  'single-brace': {
    pattern: new RegExp(`\\{env:(${variableName})\\}`, 'g'),
    write: (name) => `{env:${name}}`,
    special: /\{(?:env|file):/,
  },
  shell: {
    pattern: new RegExp(`\\$\\{(${variableName})(?::-([^}]*))?\\}|\\$(${variableName})`, 'g'),
    write: (name) => `\${${name}}`,
    special: /\$[{(A-Za-z_]/,
  },
  secrets: {
    pattern: new RegExp(`\\$\\{\\{\\s*secrets\\.(${variableName})\\s*\\}\\}`, 'g'),
    write: (name) => `\${{ secrets.${name} }}`,
    special: /\$\{\{/,
  },
};

/** Values of variables, for hosts that do not replace variables. */
export type VariableValues = Readonly<Record<string, string | undefined>>;

/** `values` are the variable values in the text. They count as secrets. */
type WrittenText =
  | { readonly text: string; readonly values: readonly string[] }
  | { readonly fault: Omit<HostFault, 'severity'> };

/** Formats a text in the host's syntax, or returns why that is impossible. */
export function writeText(
  parts: TextParts,
  support: VariableSupport,
  field: EntryField,
  values?: VariableValues,
): WrittenText {
  const spelled: string[] = [];
  const used: string[] = [];
  const [first] = parts;
  if (first?.kind === 'literal' && isBareName(first.text, support, field))
    return { fault: looksLikeVariable(field, support) };
  const isReplaced =
    support.fromStart?.includes(field) !== true || first?.kind === 'variable' || startsWithDollar(first);
  for (const part of parts) {
    if (part.kind === 'literal') {
      if (isReplaced && looksSpecial(part.text, support, field)) return { fault: looksLikeVariable(field, support) };
      spelled.push(part.text);
    } else if (isReplaced && canRefer(part, support, field)) {
      spelled.push(reference(part, support.syntax));
    } else {
      const value = valueFor(part, support, field, values);
      if (typeof value !== 'string') return value;
      if (isReplaced && looksSpecial(value, support, field)) return { fault: looksLikeVariable(field, support) };
      if (value !== part.fallback) used.push(value);
      spelled.push(value);
    }
  }
  return { text: spelled.join(''), values: used };
}

/**
 * Parses a text of a host. `special`: it has an expression that only this host understands. `own`: the only replaced
 * names, each with the value that the entry sets, if any.
 */
export function readText(
  text: string,
  support: VariableSupport,
  field: EntryField,
  own?: ReadonlyMap<string, string | undefined>,
): { readonly parts: TextParts; readonly special: boolean } {
  const parts = new PartList();
  if (!expands(support, field) || (support.fromStart?.includes(field) === true && !text.startsWith('$'))) {
    parts.addLiteral(text);
    return { parts: parts.list, special: false };
  }
  if (isBareName(text, support, field)) {
    const isName = bareVariable.test(text);
    if (isName) parts.addVariable({ name: text.slice(1) });
    else parts.addLiteral(text);
    return { parts: parts.list, special: !isName };
  }
  const { pattern, special } = spellings[support.syntax];
  let end = 0;
  let isSpecial = false;
  const addLiteral = (literal: string) => {
    parts.addLiteral(literal);
    isSpecial ||= own === undefined && special.test(literal);
  };
  for (const match of text.matchAll(pattern)) {
    const [whole, braced, fallback, bare] = match;
    const name = braced ?? bare ?? '';
    addLiteral(text.slice(end, match.index));
    end = match.index + whole.length;
    const isReplaced = own === undefined || own.has(name);
    if (!isReplaced || (fallback !== undefined && support.defaults !== true)) addLiteral(whole);
    else if (own?.get(name) !== undefined) addLiteral(own.get(name) ?? '');
    else parts.addVariable({ name, ...(fallback === undefined ? {} : { fallback }) });
  }
  addLiteral(text.slice(end));
  return { parts: parts.list, special: isSpecial };
}

const bareVariable = new RegExp(`^\\$${variableName}$`);

function isBareName(text: string, { bareName }: VariableSupport, field: EntryField): boolean {
  return bareName?.includes(field) === true && /^\$(?!\{)/.test(text);
}

function startsWithDollar(part: TextParts[number] | undefined): boolean {
  return part?.kind === 'literal' && part.text.startsWith('$');
}

/** True for a single variable without a default, which is no secret. */
export function isReference(text: string, support: VariableSupport, field: EntryField): boolean {
  const { parts } = readText(text, support, field);
  return parts.length === 1 && parts[0]?.kind === 'variable' && parts[0].fallback === undefined;
}

type Variable = { readonly name: string; readonly fallback?: string };

function canRefer(
  { fallback }: Variable,
  support: VariableSupport,
  field: EntryField,
): support is VariableSupport & { readonly syntax: VariableSyntax } {
  if (!expands(support, field) || support.unverified === true || support.inShell?.includes(field)) return false;
  return fallback === undefined || support.defaults === true;
}

function reference({ name, fallback }: Variable, syntax: VariableSyntax): string {
  return fallback === undefined ? spellings[syntax].write(name) : `\${${name}:-${fallback}}`;
}

function valueFor(
  { name, fallback }: Variable,
  { inShell = [] }: VariableSupport,
  field: EntryField,
  values: VariableValues | undefined,
): string | { readonly fault: Omit<HostFault, 'severity'> } {
  if (values === undefined) {
    const message = inShell.includes(field)
      ? `The variable ${name} in the ${field} is not written, because a shell of this host would run its value`
      : `The variable ${name} in the ${field} cannot be expressed in a syntax that this host is known to read`;
    const hint =
      'write the gateway entry instead (mcpx sync --gateway), which resolves variables itself. A program may also write the value into user files (writeSecrets)';
    return { fault: { code: 'variables-not-supported', message, hint } };
  }
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (fallback !== undefined) return value || fallback;
  if (value !== undefined) return value;
  const message = `The variable ${name} in the ${field} is not set`;
  return { fault: { code: 'unset-variable', message, hint: `set ${name}, or add a default: \${${name}:-value}` } };
}

function looksSpecial(text: string, support: VariableSupport, field: EntryField): boolean {
  if (!expands(support, field)) return false;
  return support.noLiteralDollar === true ? text.includes('$') : spellings[support.syntax].special.test(text);
}

function looksLikeVariable(field: EntryField, { noLiteralDollar }: VariableSupport): Omit<HostFault, 'severity'> {
  const what = noLiteralDollar === true ? 'a "$"' : 'text that looks like a variable';
  const message = `The ${field} contains ${what} as literal text, and this host would replace it`;
  return {
    code: 'looks-like-variable',
    message,
    hint: 'put the text into an environment variable and refer to the variable',
  };
}

/** True if the host replaces variables in this field. */
function expands(support: VariableSupport, field: EntryField): support is VariableSupport & Expanding {
  return support.syntax !== undefined && (support.fields?.includes(field) ?? true);
}

interface Expanding {
  readonly syntax: VariableSyntax;
}
