import type { ByNameFields, EntryField, EntryFormat, VariableSupport } from '../adapters/host-adapter.js';
import type { EntryFields } from '../edit/document.js';
import type { HostFault } from '../host-issue.js';
import { type VariableValues, writeText } from '../variables/host-text.js';
import { parseText, type TextParts } from '../variables/text-parts.js';

/** Converts the texts of one server to a host's syntax and collects faults. */
export class EntryTexts {
  readonly #support: VariableSupport;
  readonly #values: VariableValues | undefined;
  readonly #faults: HostFault[];
  readonly #used: string[] = [];

  constructor(support: VariableSupport, values: VariableValues | undefined, faults: HostFault[]) {
    this.#support = support;
    this.#values = values;
    this.#faults = faults;
  }

  /** Values that replaced variables. */
  get used(): readonly string[] {
    return this.#used;
  }

  /** Converts a text. Returns it unchanged after reporting a fault. */
  write(text: string, field: EntryField): string {
    const parts = this.parse(text, field);
    if (parts === undefined) return text;
    const written = writeText(parts, this.#support, field, this.#values);
    if ('fault' in written) {
      this.#report({ ...written.fault, severity: 'error' });
      return text;
    }
    this.#used.push(...written.values);
    return written.text;
  }

  parse(text: string, field: EntryField): TextParts | undefined {
    const parts = parseText(text);
    if (!('malformed' in parts)) return parts;
    const message = `The ${field} contains an unknown variable syntax`;
    const hint = `write \${NAME}, \${NAME:-default} or \${env:NAME}; a literal "\${" is "$\${"`;
    this.#report({ code: 'malformed-variable', severity: 'error', message, hint });
    return undefined;
  }

  #report(fault: HostFault): void {
    if (!this.#faults.some((known) => known.message === fault.message)) this.#faults.push(fault);
  }
}

type Texts = Readonly<Record<string, string>>;

export function envByName(
  env: Texts,
  envField: string,
  byName: ByNameFields | undefined,
  texts: EntryTexts,
  faults: HostFault[],
): EntryFields {
  const isNamed = ([name, value]: readonly [string, string]) =>
    byName?.env !== undefined && soleVariable(value, texts) === name;
  const named = Object.entries(env).filter(isNamed);
  const literal = Object.entries(env).filter((entry) => !isNamed(entry));
  keyringFault(
    named.map(([name]) => name),
    byName,
    faults,
  );
  const written = literal.map(([name, value]) => [name, texts.write(value, 'env')]);
  return {
    ...(written.length === 0 ? {} : { [envField]: Object.fromEntries(written) }),
    ...(byName?.env === undefined || named.length === 0 ? {} : { [byName.env]: named.map(([name]) => name) }),
  };
}

/** The field that names the variables of an address and its headers, where the host replaces no others. */
export function namesOfVariables(
  values: readonly string[],
  { variables, byName }: EntryFormat,
  texts: EntryTexts,
  faults: HostFault[],
): EntryFields {
  if (variables.onlyOwn !== true || byName?.env === undefined) return {};
  const parts = values.flatMap((value) => texts.parse(value, 'headers') ?? []);
  const names = [...new Set(parts.flatMap((part) => (part.kind === 'variable' ? [part.name] : [])))];
  keyringFault(names, byName, faults);
  return names.length === 0 ? {} : { [byName.env]: names };
}

function keyringFault(names: readonly string[], byName: ByNameFields | undefined, faults: HostFault[]): void {
  if (names.length === 0 || byName?.from !== 'keyring') return;
  const message = `This host reads ${names.join(', ')} from its own keyring`;
  const hint = 'store the value there with the configuration command of the host';
  faults.push({ code: 'keyring-variable', severity: 'warning', message, hint });
}

/** Headers of a server: `literal` has values, `fields` names variables that the host resolves. */
export function headersByName(
  headers: Texts,
  byName: ByNameFields | undefined,
  texts: EntryTexts,
): { readonly literal: Texts; readonly fields: EntryFields } {
  const literal: [string, string][] = [];
  const named: [string, string][] = [];
  let bearer: string | undefined;
  for (const [name, value] of Object.entries(headers)) {
    const variable = byName?.headers === undefined ? undefined : soleVariable(value, texts);
    const token = byName?.bearer === undefined || !isAuthorization(name) ? undefined : bearerVariable(value, texts);
    if (variable !== undefined) named.push([name, variable]);
    else if (token !== undefined) bearer = token;
    else literal.push([name, texts.write(value, 'headers')]);
  }
  const fields = {
    ...(byName?.headers === undefined || named.length === 0 ? {} : { [byName.headers]: Object.fromEntries(named) }),
    ...(byName?.bearer === undefined || bearer === undefined ? {} : { [byName.bearer]: bearer }),
  };
  return { literal: Object.fromEntries(literal), fields };
}

function isAuthorization(header: string): boolean {
  return header.toLowerCase() === 'authorization';
}

function soleVariable(text: string, texts: EntryTexts): string | undefined {
  const [part, ...others] = texts.parse(text, 'env') ?? [];
  return part?.kind === 'variable' && part.fallback === undefined && others.length === 0 ? part.name : undefined;
}

function bearerVariable(text: string, texts: EntryTexts): string | undefined {
  const [scheme, part, ...others] = texts.parse(text, 'headers') ?? [];
  if (scheme?.kind !== 'literal' || scheme.text !== 'Bearer ' || others.length > 0) return undefined;
  return part?.kind === 'variable' && part.fallback === undefined ? part.name : undefined;
}
