import { resolve } from 'node:path';
import { combineRedactors } from '@x/internal/secrets';
import { type ConfigIssue, isConfigError, type Redactor } from '@x/mcp-config-schema';
import { checkFiles, type FilesCheck } from '@x/mcp-config-schema/load';
import type { Stack } from '../compose.js';
import { configNames } from '../config/config-names.js';
import { configSource } from '../config/config-source.js';
import { foundLayer } from '../writing-config/config-file.js';
import { lastEdit } from './editing/edit-undo.js';
import type { EditSources } from './editing/server-edit.js';
import { maskedLines } from './masked-lines.js';
import type { ConfigFilesView, ConfigFileView, PlacedIssue } from './page-messages.js';
import { truncate } from './page-views.js';

const maxLines = 5_000;
const maxLineLength = 2_000;
const maxIssues = 200;
const maxTextLength = 2_000;

interface ConfigFilesSources extends Pick<EditSources, 'files' | 'io'> {
  readonly stack: Pick<Stack, 'redactor' | 'config'>;
}

/** The files as they are on disk, which may be newer than the config in effect. */
export async function configFilesView({ stack, files: words, io }: ConfigFilesSources): Promise<ConfigFilesView> {
  const source = configSource(words, io);
  const checked = await checkFiles({ ...source, unsetVariables: 'warning' }).catch((error: unknown) => {
    if (isConfigError(error)) return { problem: stack.redactor.redact(error.message) };
    throw error;
  });
  if ('problem' in checked) return { problem: checked.problem, files: [], moreIssues: 0, unset: [] };
  const redactor = combineRedactors([checked.redactor, stack.redactor]);
  const given = await source.given?.read();
  const ofApps = new Set(given?.texts.map(({ path }) => path));
  const isNamed = configNames(words).files.length > 0 && source.layers === undefined;
  const issues = checked.issues.slice(0, maxIssues);
  const places = new Set([...checked.texts.keys(), ...issues.map(({ file = '' }) => file)]);
  const files = [...places].map(async (shown) => {
    const path = resolve(io.cwd, shown);
    const own = issues.filter(({ file = '' }) => file === shown);
    const servers = serversIn(shown, checked, stack);
    const layer = isNamed && !ofApps.has(path) ? 'explicit' : await foundLayer(path);
    const facts = { path, layer, servers };
    const text = checked.texts.get(shown);
    if (text === undefined) return withoutText({ ...facts, kind: 'other' }, own, redactor);
    if (ofApps.has(path)) return withoutText({ ...facts, kind: 'host-app' }, own, redactor);
    return withText(facts, text, own, redactor);
  });
  return {
    files: await Promise.all(files),
    moreIssues: Math.max(0, checked.issues.length - maxIssues),
    unset: unsetIn(checked),
    lastEdit: await lastEdit({ files: words, io }),
  };
}

/** Names in the order of the file. An entry with an error is missing, unless it is in effect. */
function serversIn(shown: string, { config, partial }: FilesCheck, stack: ConfigFilesSources['stack']) {
  const servers = (config ?? partial ?? stack.config).servers;
  return servers.filter(({ source }) => source.file === shown).map(({ name }) => name);
}

function unsetIn({ config, partial }: FilesCheck): ConfigFilesView['unset'] {
  return ((config ?? partial)?.servers ?? []).flatMap(({ name: server, unsetVariables: variables = [] }) =>
    variables.length === 0 ? [] : [{ server, variables }],
  );
}

type FileFacts = Pick<ConfigFileView, 'path' | 'layer' | 'servers'>;

function withText(facts: FileFacts, text: string, issues: readonly ConfigIssue[], redactor: Redactor): ConfigFileView {
  const { lines: all, columnOf } = maskedLines(text, redactor);
  const isEnd = all.at(-1) === '' && !issues.some(({ line }) => line === all.length);
  const lines = isEnd ? all.slice(0, -1) : all;
  return {
    ...facts,
    kind: 'config',
    lines: lines.slice(0, maxLines).map((line) => truncate(line, maxLineLength)),
    moreLines: Math.max(0, lines.length - maxLines),
    issues: issues.map((issue) => ({ ...placed(issue, redactor), column: columnOf(issue.line, issue.column) })),
  };
}

function withoutText(
  facts: FileFacts & Pick<ConfigFileView, 'kind'>,
  issues: readonly ConfigIssue[],
  redactor: Redactor,
): ConfigFileView {
  return { ...facts, lines: [], moreLines: 0, issues: issues.map((issue) => placed(issue, redactor)) };
}

function placed({ severity, code, message, hint, line, column }: ConfigIssue, redactor: Redactor): PlacedIssue {
  const shown = (text: string): string => truncate(redactor.redact(text), maxTextLength);
  return { severity, code, message: shown(message), line, column, ...(hint !== undefined && { hint: shown(hint) }) };
}
