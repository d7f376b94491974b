import type { ByNameFields } from '../adapters/host-adapter.js';
import type { EntryFields } from '../edit/document-shape.js';
import type { HostFault } from '../host-issue.js';
import type { EntryTexts } from './entry-texts.js';

type Texts = Readonly<Record<string, string>>;

export function envByName(
  env: Texts,
  envField: string,
  byName: ByNameFields | undefined,
  texts: EntryTexts,
  faults: HostFault[],
): EntryFields {
  const isNamed = ([name, value]: readonly [string, string]) =>
    byName !== undefined && soleVariable(value, texts) === name;
  const named = Object.entries(env).filter(isNamed);
  const literal = Object.entries(env).filter((entry) => !isNamed(entry));
  if (named.length > 0 && byName?.from === 'keyring') {
    const message = `This host reads ${named.map(([name]) => name).join(', ')} from its own keyring`;
    const hint = 'store the value there with the configuration command of the host';
    faults.push({ code: 'keyring-variable', severity: 'warning', message, hint });
  }
  const written = literal.map(([name, value]) => [name, texts.write(value, 'env')]);
  return {
    ...(written.length === 0 ? {} : { [envField]: Object.fromEntries(written) }),
    ...(byName === undefined || named.length === 0 ? {} : { [byName.env]: named.map(([name]) => name) }),
  };
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
