import { printable } from '@x/internal/text';
import type { HostAdapter } from '../adapters/host-adapter.js';
import type { EntryFields } from '../edit/document-shape.js';
import type { EntryForm } from '../entry/entry-form.js';
import { writeEntry } from '../entry/write-entry.js';
import type { HostDocument } from '../host-document.js';
import type { HostIssue } from '../host-issue.js';
import { literalSecrets, sensitiveTexts } from './literal-secrets.js';
import type { SyncInput } from './sync-input.js';

export interface WantedEntry {
  readonly entry: EntryFields;
  readonly enabled: boolean;
  readonly secrets: readonly string[];
}

export interface WantedEntries {
  readonly entries: ReadonlyMap<string, WantedEntry>;
  /** Names of servers that cannot be written. Their existing entries stay. */
  readonly refused: ReadonlySet<string>;
  readonly issues: readonly HostIssue[];
}

export function wantedEntries(
  { file, platform, isRetired }: HostDocument,
  adapter: HostAdapter,
  form: EntryForm,
  { ours, bridgeRemote, writeSecrets, projectSecrets = 'refuse' }: SyncInput,
): WantedEntries {
  const entries = new Map<string, WantedEntry>();
  const refused = new Set<string>();
  const issues: HostIssue[] = [];
  for (const server of isRetired === true ? [] : ours) {
    const enabled = (server.enabled ?? true) && server.disabled !== true;
    if (!enabled && form.toggle === undefined) {
      issues.push(leftOut(adapter.id, server.name, file));
      continue;
    }
    const [unresolved] = server.secrets ?? [];
    if (unresolved !== undefined) {
      issues.push(notResolved(adapter.id, server.name, file, unresolved));
      refused.add(server.name);
      continue;
    }
    const literal = adapter.scope === 'project' && projectSecrets === 'refuse' ? literalSecrets(server) : [];
    if (literal.length > 0) {
      issues.push(inProjectFile(adapter.id, server.name, file, literal));
      refused.add(server.name);
      continue;
    }
    const written = writeEntry({ ...server, enabled }, adapter, form, { bridgeRemote, writeSecrets, platform });
    issues.push(...written.issues.map((issue) => ({ ...issue, file })));
    if (written.entry === undefined) refused.add(server.name);
    else
      entries.set(server.name, {
        entry: written.entry,
        enabled,
        secrets: [...written.secrets, ...sensitiveTexts(server)],
      });
  }
  return { entries, refused, issues };
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

function inProjectFile(host: string, server: string, file: string, places: readonly string[]): HostIssue {
  const named = places.map(printable).join(', ');
  const message = `This file is visible to all members of the project and would contain a literal secret in ${named}`;
  const hint = `use an environment variable instead, as \${NAME}; load servers with variables: 'keep'`;
  return { code: 'secret-in-project-file', severity: 'error', host, server, file, message, hint };
}

function leftOut(host: string, server: string, file: string): HostIssue {
  const message = 'This host does not support disabled servers, so the server is left out';
  return { code: 'field-not-supported', severity: 'warning', host, server, file, message };
}
