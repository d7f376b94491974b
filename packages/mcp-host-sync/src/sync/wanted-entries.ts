import { isNamedSecret, secretIn, secretsInWords } from '@x/internal/secrets';
import { printable } from '@x/internal/text';
import type { HostAdapter } from '../adapters/host-adapter.js';
import type { EntryFields } from '../edit/document.js';
import type { EntryForm } from '../entry/entry-form.js';
import { toolListFields } from '../entry/tool-list-fields.js';
import { writeEntry } from '../entry/write-entry.js';
import type { HostIssue } from '../host-issue.js';
import type { HostServer } from '../host-server.js';
import type { HostDocument, SyncInput } from './sync-plan.js';

export interface WantedEntry {
  readonly entry: EntryFields;
  readonly enabled: boolean;
  readonly secrets: readonly string[];
  /** The entry has lists of tools. */
  readonly hasToolLists?: true | undefined;
}

interface WantedEntries {
  readonly entries: ReadonlyMap<string, WantedEntry>;
  /** Names of servers that cannot be written. Their existing entries stay, which cannot offer more tools. */
  readonly refused: ReadonlySet<string>;
  readonly issues: readonly HostIssue[];
}

export function wantedEntries(
  { file, platform, project, isRetired }: HostDocument,
  adapter: HostAdapter,
  form: EntryForm,
  { ours, bridgeRemote, writeSecrets, projectSecrets = 'refuse', toolLists }: SyncInput,
): WantedEntries {
  const entries = new Map<string, WantedEntry>();
  const refused = new Set<string>();
  const issues: HostIssue[] = [];
  const refuse = (server: HostServer) => {
    if (toolLists !== 'write' || !isRestricted(server)) refused.add(server.name);
  };
  for (const server of isRetired === true ? [] : ours) {
    const enabled = (server.enabled ?? true) && server.disabled !== true;
    if (!enabled && form.toggle === undefined) {
      issues.push(leftOut(adapter.id, server.name, file));
      continue;
    }
    const [unresolved] = server.secrets ?? [];
    if (unresolved !== undefined) {
      issues.push(notResolved(adapter.id, server.name, file, unresolved));
      refuse(server);
      continue;
    }
    const literal = adapter.scope === 'project' && projectSecrets === 'refuse' ? literalSecrets(server) : [];
    if (literal.length > 0) {
      issues.push(inProjectFile(adapter.id, server.name, file, literal));
      refuse(server);
      continue;
    }
    const lists = toolLists === 'write' ? toolListFields(server, form.format.tools) : { fields: undefined };
    if ('fault' in lists) {
      issues.push({ ...lists.fault, host: adapter.id, server: server.name, file });
      continue;
    }
    const toolFields = lists.fields;
    const written = writeEntry({ ...server, enabled }, adapter, form, {
      ...{ bridgeRemote, writeSecrets, toolFields, platform, project },
    });
    issues.push(...written.issues.map((issue) => ({ ...issue, file })));
    if (written.entry === undefined) refuse(server);
    else
      entries.set(server.name, {
        entry: written.entry,
        enabled,
        secrets: [...written.secrets, ...sensitiveTexts(server)],
        hasToolLists: Object.keys(toolFields ?? {}).length > 0 ? true : undefined,
      });
  }
  return { entries, refused, issues };
}

/** An entry of an earlier sync may offer more tools. */
function isRestricted({ allowedTools, deniedTools = [] }: HostServer): boolean {
  return deniedTools.length > 0 || allowedTools?.includes('*') === false;
}

function notResolved(
  host: string,
  server: string,
  file: string,
  { key, reference }: { readonly key: string; readonly reference: string },
): HostIssue {
  const scheme = reference.slice(0, reference.indexOf(':'));
  const message = `The value of ${printable(key)} is a ${printable(scheme)} reference, which hosts cannot resolve, so the server is not written`;
  const hint =
    'use an environment variable instead, or write the gateway entry (mcpx sync --gateway), which resolves references; a program may also resolve the secrets first';
  return { code: 'secret-not-resolved', severity: 'error', host, server, file, message, hint };
}

function inProjectFile(host: string, server: string, file: string, positions: readonly string[]): HostIssue {
  const named = positions.map(printable).join(', ');
  const message = `This file is visible to all members of the project and would contain a literal secret in ${named}`;
  const hint = `use an environment variable instead, as \${NAME}; load servers with variables: 'keep'`;
  return { code: 'secret-in-project-file', severity: 'error', host, server, file, message, hint };
}

function leftOut(host: string, server: string, file: string): HostIssue {
  const message = 'This host does not support disabled servers, so the server is left out';
  return { code: 'field-not-supported', severity: 'warning', host, server, file, message };
}

/** Positions of literal secrets in a server: `env.TOKEN`, `args[1]`, `url`. */
function literalSecrets(server: HostServer): readonly string[] {
  const found = server.transport === 'stdio' ? inCommand(server) : inRequests(server);
  return [...new Set([...found, ...sensitiveFields(server).map(({ position }) => position)])];
}

/** Texts with values of variables, which must not be displayed. */
function sensitiveTexts(server: HostServer): readonly string[] {
  return sensitiveFields(server).map(({ text }) => text);
}

function inCommand({ command, args = [], env = {} }: HostServer & { readonly transport: 'stdio' }): readonly string[] {
  const inArguments = secretsInWords([command, ...args]).map(({ index }) =>
    index === 0 ? 'command' : `args[${index - 1}]`,
  );
  return [...inArguments, ...inFields('env', env, 'field')];
}

function inRequests({ url, headers = {} }: HostServer & { readonly transport: 'http' | 'sse' }): readonly string[] {
  return [...(secretIn(url) === undefined ? [] : ['url']), ...inFields('headers', headers, 'header')];
}

function inFields(
  field: string,
  texts: Readonly<Record<string, string>>,
  place: 'field' | 'header',
): readonly string[] {
  return Object.entries(texts).flatMap(([name, text]) =>
    isNamedSecret(name, text, place) || secretIn(text) !== undefined ? [`${field}.${name}`] : [],
  );
}

function sensitiveFields(server: HostServer): readonly { readonly position: string; readonly text: string }[] {
  return (server.sensitive ?? []).flatMap(([field, key]) => {
    const value = Object.entries(server).find(([name]) => name === field)?.[1];
    const text: unknown =
      typeof value === 'object' && value !== null
        ? Object.entries(value).find(([name]) => name === String(key))?.[1]
        : value;
    if (typeof text !== 'string' || field === 'name') return [];
    const position =
      key === undefined ? String(field) : typeof key === 'number' ? `${field}[${key}]` : `${field}.${key}`;
    return [{ position, text }];
  });
}
