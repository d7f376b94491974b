import { type ServerField, serverFields, writtenBounds, writtenValue } from '@x/internal/server-fields';
import type { McpSettings } from '@x/mcp-config-schema';
import { entriesIn, type FoundConfig, isHostFormat, type ServerFile } from '../../writing-config/config-file.js';
import type { ServerEditView } from '../page-messages.js';

type Row = ServerField & { readonly setting?: string };

/** None of these changes what is started or where data goes. `trusted` is a decision about the server, not a setting. */
const rows: readonly Row[] = Object.values(serverFields).filter(({ key }) => key !== 'trusted');
const tags = { type: 'array', items: { type: 'string', minLength: 1 }, description: 'Words to find the server by' };

/** Fields in the order of the form. */
const groups: readonly (readonly [title: string, keys: readonly string[]])[] = [
  ['Start', ['auto_start', 'eager', 'disabled', 'priority', 'startup_timeout_seconds', 'first_run_timeout_seconds']],
  ['Tools', ['allowed_tools', 'denied_tools', 'max_tools', 'tags']],
  ['Calls', ['max_concurrent_calls', 'max_queued_calls', 'queue_timeout_seconds', 'connections', 'protocol']],
  [
    'Health and restarts',
    ['health_check_interval_seconds', 'restart_on_failure', 'max_restart_attempts', 'memory_limit_mb'],
  ],
  ['Stop', ['idle_stop_seconds', 'shutdown_timeout_seconds']],
];

/** In the format of host apps it does not forbid a start by name. */
const disabledInApp = { type: 'boolean', default: false, description: 'Do not start the server automatically' };

/** Keys of the fields that a page may change in that file. */
export function editableKeys(file: ServerFile): readonly string[] {
  return isHostFormat(file) ? ['disabled'] : [...rows.map(({ key }) => key), 'tags'];
}

/** A form for the fields of one server. */
export function serverForm(server: string, file: ServerFile, { settings }: FoundConfig): Omit<ServerEditView, 'rules'> {
  const entry = entriesIn(file).get(server) ?? {};
  const keys = editableKeys(file);
  const properties = Object.fromEntries([
    ...rows.filter(({ key }) => keys.includes(key)).map((row) => [row.key, schemaOf(row, settings)]),
    ...(isHostFormat(file) ? [['disabled', disabledInApp]] : []),
    ...(keys.includes('tags') ? [['tags', tags]] : []),
  ]);
  return {
    file: file.path,
    schema: { type: 'object', properties, additionalProperties: false },
    groups: groups
      .map(([title, members]) => ({ title, keys: members.filter((key) => keys.includes(key)) }))
      .filter((group) => group.keys.length > 0),
    values: Object.fromEntries(Object.entries(entry).filter(([key, value]) => keys.includes(key) && value !== null)),
    ...(isHostFormat(file) && {
      note: 'This file has the format of other apps, which knows no other fields. A mcp_servers.yaml has all of them.',
    }),
  };
}

function schemaOf(row: Row, settings: McpSettings | undefined): Readonly<Record<string, unknown>> {
  const fallback = defaultOf(row, settings);
  return { ...valueSchema(row), description: row.says, ...(fallback !== undefined && { default: fallback }) };
}

function valueSchema(row: Row): Readonly<Record<string, unknown>> {
  if (row.kind === 'flag') return { type: 'boolean' };
  if (row.kind === 'word') return { enum: row.words };
  if (row.kind === 'tools') return { type: 'array', items: { type: 'string', minLength: 1 } };
  const [minimum, maximum] = writtenBounds(row);
  return { type: 'integer', minimum, maximum };
}

function defaultOf(row: Row, settings: McpSettings | undefined): unknown {
  if (row.kind === 'tools') return undefined;
  const set = row.setting === undefined ? undefined : new Map<string, unknown>(Object.entries(settings ?? {}));
  return writtenValue(row, set?.get(row.setting ?? '') ?? row.default);
}
