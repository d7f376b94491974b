import { canonicalJson } from '@x/internal/json';
import { quoted } from '@x/internal/text';
import type { HostAdapter } from '../adapters/host-adapter.js';
import { type EntryFields, isObject, type JsonValue } from '../edit/document.js';
import type { DocumentLayout } from '../entry/entry-form.js';
import { readEntry } from '../entry/read-entry.js';
import { dependsOnDirectory } from '../entry/write-entry.js';
import type { HostIssue } from '../host-issue.js';
import { type HostServer, isGatewayServer } from '../host-server.js';
import { restrictsServer, toolRulesIn } from '../tool-rules.js';
import { entryDiff } from './entry-diff.js';
import type { OwnedContainer } from './ownership.js';
import type { EntryPlan } from './plan-entry.js';
import type { HostDocument, ServedServer } from './sync-plan.js';

interface Adopting {
  readonly document: HostDocument;
  readonly adapter: HostAdapter;
  readonly layout: DocumentLayout;
  readonly entries: ReadonlyMap<string, JsonValue>;
  readonly known: OwnedContainer | undefined;
  readonly served: readonly ServedServer[];
  /** Names of entries that have a plan. */
  readonly planned: ReadonlySet<string>;
}

interface Adopted {
  readonly plans: readonly EntryPlan[];
  /** One for each entry that stays. */
  readonly issues: readonly HostIssue[];
}

/**
 * Removes entries of others that start a served server in exactly the same way. What would be lost with an entry keeps
 * it: another value, a field that is not read, a switch that is off, a rule for its tools.
 */
export function adoptEntries(adopting: Adopting): Adopted {
  const { document, adapter, entries, known, planned } = adopting;
  const plans: EntryPlan[] = [];
  const issues: HostIssue[] = [];
  const owned = new Set(known?.entries.map(({ name }) => name));
  for (const [name, value] of entries) {
    if (planned.has(name)) continue;
    const found = owned.has(name) ? { stays: 'Another sync wrote this entry' } : decide(name, value, adopting);
    if (found === undefined) continue;
    if ('servedAs' in found) plans.push(removal(name, found, adopting));
    else {
      const { stays, hint } = found;
      const { file } = document;
      const message = `${stays}, so it stays`;
      issues.push({ code: 'not-served', severity: 'warning', host: adapter.id, server: name, file, message, hint });
    }
  }
  return { plans, issues };
}

type Decision =
  | { readonly servedAs: string; readonly fields: EntryFields }
  | { readonly stays: string; readonly hint?: string };

/** `undefined` for an entry that starts a gateway itself. */
function decide(name: string, value: JsonValue, { document, adapter, layout, served }: Adopting): Decision | undefined {
  const { server, issues } = readEntry(name, value, adapter, layout.form, document.platform);
  const [problem] = issues;
  if (server === undefined || !isObject(value)) return { stays: problem?.message ?? 'The entry is not understood' };
  if (isGatewayServer(server)) return undefined;
  const outside = reasonOutside(server, document, adapter);
  if (outside !== undefined) return { stays: outside };
  const compared = served.map((each) => ({ each, differs: differences(server, each) }));
  const same = compared.find(({ differs }) => differs.length === 0);
  if (same !== undefined) {
    if (problem !== undefined) return { stays: problem.message };
    return { servedAs: same.each.server.name, fields: value };
  }
  const near = compared.find(({ each }) => each.server.name === name);
  if (near === undefined) {
    return { stays: 'The gateway does not serve this server', hint: 'add it to the config, then sync again' };
  }
  const hidden = hiddenPlaces(server, near.each);
  if (near.differs.every((place) => hidden.has(place))) {
    const whose = [...new Set(near.differs.map((place) => hidden.get(place)))].join(' and ');
    return {
      stays: `The gateway serves ${quoted(name)}, but the value of ${listed(near.differs)} cannot be compared: it is ${whose}`,
      hint: 'if the gateway has the same value, remove this entry by hand',
    };
  }
  return {
    stays: `The gateway serves ${quoted(name)} with other values in ${listed(near.differs)}`,
    hint: 'make the two equal, or remove this entry by hand',
  };
}

function listed(places: readonly string[]): string {
  return `${places.slice(0, 5).map(quoted).join(', ')}${places.length > 5 ? ' and more' : ''}`;
}

/** Places whose values a sync cannot see, with what they are. */
function hiddenPlaces(entry: HostServer, { server }: ServedServer): ReadonlyMap<string, string> {
  const inputs = [...textsOf(entry)].filter(([, text]) => text.includes('${input:'));
  return new Map([
    ...inputs.map(([place]) => [place, 'an input that the host asks its user for'] as const),
    ...referencePlaces(server).map((place) => [place, 'a secret reference in the config'] as const),
  ]);
}

/** Places whose values are missing in the texts. */
function referencePlaces({ transport, secrets = [] }: HostServer): readonly string[] {
  return secrets.map(({ key }) => (transport === 'stdio' ? `env.${key}` : `headers.${key.toLowerCase()}`));
}

/** What is lost with the name of an entry, and with the directory in which its host starts it. */
function reasonOutside(server: HostServer, { text = '', isOff }: HostDocument, adapter: HostAdapter) {
  if (isOff?.(server.name)) return 'The host has switched this server off';
  const restricting = toolRulesIn(text, adapter).find(({ rules }) => restrictsServer(rules, server.name));
  if (restricting) return `The host restricts tools of this server in its ${quoted(restricting.key)}`;
  const isMoved = adapter.scope === 'user' && dependsOnDirectory(server);
  return isMoved ? 'It has a relative path, and the gateway starts servers in another directory' : undefined;
}

function removal(
  name: string,
  { servedAs, fields }: Extract<Decision, { readonly servedAs: string }>,
  { document: { file }, adapter, layout: { shape, form }, served }: Adopting,
): EntryPlan {
  const secrets = served.flatMap(({ resolved }) => sensitiveTexts(resolved));
  const diff = entryDiff({ file, shape, name, before: fields, after: undefined, form, secrets, hidesAll: false });
  return {
    name,
    step: { type: 'remove', host: adapter.id, file, server: name, diff, servedAs },
    edits: [{ type: 'remove', name }],
    records: {},
    isSettled: false,
  };
}

function sensitiveTexts(server: HostServer | undefined): readonly string[] {
  const texts = server === undefined ? new Map() : textsOf(server);
  const fields = (server?.sensitive ?? []).map(([field, key]) => placeOf(String(field), key));
  return fields.flatMap((field) => texts.get(field) ?? []);
}

function placeOf(field: string, key: string | number | undefined): string {
  if (key === undefined) return field;
  return typeof key === 'number' ? `${field}[${key}]` : `${field}.${key}`;
}

/** Fields in which an entry differs from a served server, such as `env.TOKEN`. */
function differences(entry: HostServer, { server, resolved }: ServedServer): readonly string[] {
  const here = textsOf(entry);
  const written = textsOf(server);
  const values = resolved === undefined ? written : textsOf(resolved);
  const places = new Set([...here.keys(), ...written.keys(), ...values.keys()]);
  const texts = [...places].filter((place) => {
    const text = here.get(place);
    return text !== written.get(place) && text !== values.get(place);
  });
  const references = referencePlaces(server).filter((place) => !texts.includes(place));
  const isOff = entry.enabled === false || entry.disabled === true;
  const hasOtherLimit = entry.timeoutMs !== undefined && entry.timeoutMs !== server.timeoutMs;
  return [
    ...texts,
    ...references,
    ...(isOff ? ['enabled'] : []),
    ...(sameNames(entry.allowedTools, server.allowedTools) ? [] : ['allowed_tools']),
    ...(sameNames(entry.deniedTools ?? [], server.deniedTools ?? []) ? [] : ['denied_tools']),
    ...(hasOtherLimit ? ['timeout'] : []),
  ];
}

function sameNames(left: readonly string[] | undefined, right: readonly string[] | undefined): boolean {
  return canonicalJson(left?.toSorted() ?? null) === canonicalJson(right?.toSorted() ?? null);
}

/** What decides how a server is reached, by place. */
function textsOf(server: HostServer): ReadonlyMap<string, string> {
  if (server.transport !== 'stdio') {
    const headers = Object.entries(server.headers ?? {});
    return new Map([
      ['transport', server.type ?? server.transport],
      ['url', server.url],
      ...headers.map(([name, text]): [string, string] => [`headers.${name.toLowerCase()}`, text]),
    ]);
  }
  const { command, args = [], env = {}, cwd } = server;
  return new Map([
    ['transport', 'stdio'],
    ['command', command],
    ...args.map((text, index): [string, string] => [`args[${index}]`, text]),
    ...Object.entries(env).map(([name, text]): [string, string] => [`env.${name}`, text]),
    ...(cwd === undefined ? [] : [['cwd', cwd] as const]),
  ]);
}
