import { hexDigest } from '@x/internal/files';
import { canonicalJson } from '@x/internal/json';
import { isConfigError } from '@x/mcp-config-schema';
import type { LaunchToConfirm } from '@x/mcp-config-schema/consent';
import { type LoadedConfig, loadConfig } from '@x/mcp-config-schema/load';
import type { EntryEdit, JsonValue } from '@x/mcp-host-sync/edit';
import { CommandError, type Io } from '../../command.js';
import type { ReloadPlan, Stack } from '../../compose.js';
import { configNames } from '../../config/config-names.js';
import { configSource } from '../../config/config-source.js';
import { searchedDirectory } from '../../config/find-project.js';
import { storeConsent } from '../../consent/prompt-consent.js';
import { ControlError, isControlError } from '../../control/control-error.js';
import { editedText, type PlannedChange, planText, writePlanned } from '../../writing-config/change-config.js';
import { recordChange } from '../../writing-config/change-journal.js';
import {
  entriesIn,
  type FoundConfig,
  fileWith,
  findConfig,
  newErrors,
  type ServerFile,
} from '../../writing-config/config-file.js';
import type { ActionResult, FieldChanges, ServerEditPlan, ServerEditView } from '../page-messages.js';
import { truncate } from '../page-views.js';
import { effectsOf } from './edit-effects.js';
import { editableKeys, serverForm } from './server-form.js';
import { serverRules } from './server-rules.js';

const maxDiffLength = 50_000;
/** Longest wait for another writer of the file, in milliseconds. */
export const writeTimeoutMs = 10_000;

export interface EditSources {
  readonly stack: Pick<Stack, 'planReload' | 'config' | 'manager' | 'redactor' | 'registry'>;
  /** Files or directories of the command line. */
  readonly files: readonly string[] | undefined;
  readonly io: Pick<Io, 'cwd' | 'env' | 'stateDirectory'>;
  /** Resolves when earlier edits are in effect, or with the reason why they are not. */
  readonly settled: () => Promise<string | undefined>;
}

/** @throws {ControlError} `unknown-server`: no file has it. */
export async function serverEditView(server: string, sources: EditSources): Promise<ServerEditView> {
  const found = await editableFiles(sources);
  try {
    const file = fileWith(server, found);
    return { ...serverForm(server, file, found), rules: await serverRules(server, file, found, sources.stack) };
  } catch (error) {
    throw error instanceof CommandError ? noEntry(error, server, sources) : error;
  }
}

function noEntry({ message, hint }: CommandError, server: string, { stack }: EditSources): ControlError {
  const isKnown = stack.config.servers.some(({ name }) => name === server);
  const text = isKnown
    ? `“${server}” is in no file that can be changed here. Change it in the app that has it.`
    : message;
  return new ControlError('unknown-server', text, { hint });
}

/** Files of the daemon as the commands find them. Those of host apps are none of them. */
export async function editableFiles({ files: words, io }: Pick<EditSources, 'files' | 'io'>): Promise<FoundConfig> {
  const { files, hosts } = configNames(words);
  if (files.length === 0 && hosts.length > 0) return { files: [], inputs: [], issues: [], settings: undefined };
  const searched = searchedDirectory(files, io.cwd);
  if (searched !== undefined) return findConfig({}, { ...io, cwd: searched });
  return findConfig(files.length === 0 ? {} : { config: files }, io);
}

export interface ServerEdit {
  readonly server: string;
  readonly changes: FieldChanges;
}

/** What an edit would do. Writes nothing. */
export async function planServerEdit(edit: ServerEdit, sources: EditSources): Promise<ServerEditPlan> {
  return (await plannedEdit(edit, sources)).view;
}

/** Writes an edit, if the file is still the one of its plan. A failure is a result. */
export async function applyServerEdit(
  { base, ...edit }: ServerEdit & { readonly base: string },
  sources: EditSources,
): Promise<ActionResult> {
  const { view, planned } = await plannedEdit(edit, sources);
  if (view.outcome === 'unchanged') return { isDone: false, message: 'The file has these values already.' };
  if (view.outcome === 'refused') return { isDone: false, message: view.message };
  if (planned === undefined || view.outcome !== 'planned' || view.base !== base) {
    return { isDone: false, message: changedSince(sources, edit.server) };
  }
  const { plan, consents } = planned;
  const { io, stack, settled } = sources;
  try {
    await storeConsent(consents, io);
    await writePlanned(plan, { signal: AbortSignal.timeout(writeTimeoutMs) });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { isDone: false, message: stack.redactor.redact(`Nothing was saved: ${error.message}`) };
  }
  await recordEdit(plan, edit.server, io);
  return { isDone: true, message: effectText(`“${edit.server}” is saved`, await settled()) };
}

export function effectText(done: string, problem: string | undefined): string {
  return problem === undefined ? `${done}, and in effect.` : `${done}, but not in effect: ${problem}`;
}

function changedSince({ stack }: EditSources, server: string): string {
  const { source } = stack.config.servers.find(({ name }) => name === server) ?? {};
  return `Nothing was saved: ${source?.file ?? 'the file'} has changed since this preview. The new preview is below.`;
}

/** Begins the command of each edit of a page. */
export const editCommand = 'dashboard edit ';

/** An edit that cannot be recorded cannot be taken back here. */
async function recordEdit({ file, after }: PlannedChange, server: string, { cwd, stateDirectory }: EditSources['io']) {
  if (stateDirectory === undefined) return;
  const files = [{ file: file.path, before: file.text ?? null, after }];
  await recordChange(stateDirectory, { command: `${editCommand}${server}`, directory: cwd, files }).catch(
    () => undefined,
  );
}

interface PlannedEdit {
  readonly view: ServerEditPlan;
  readonly planned?: { readonly plan: PlannedChange; readonly consents: readonly LaunchToConfirm[] };
}

async function plannedEdit(edit: ServerEdit, sources: EditSources): Promise<PlannedEdit> {
  const { redactor } = sources.stack;
  try {
    const found = await editableFiles(sources);
    const file = fileWith(edit.server, found);
    const after = editedText(file, [entryEdit(edit, file)]);
    const faults = faultsIn(edit.server, found, file, after);
    if (faults.length > 0) return { view: { outcome: 'faults', faults } };
    if (after === file.text) return { view: { outcome: 'unchanged' } };
    return await withEffects(planText(found, file, after), edit, sources);
  } catch (error) {
    if (!(error instanceof CommandError) || isControlError(error)) throw error;
    const [message = '', ...details] = [error.message, ...error.details].map((text) => redactor.redact(text));
    return { view: { outcome: 'refused', message, details } };
  }
}

/** @throws {ControlError} `invalid-request`: a field cannot be changed by a page. */
function entryEdit({ server: name, changes }: ServerEdit, file: ServerFile): EntryEdit {
  const entry = entriesIn(file).get(name) ?? {};
  const keys = new Set(editableKeys(file));
  const foreign = Object.keys(changes).find((key) => !keys.has(key));
  if (foreign !== undefined) {
    throw new ControlError('invalid-request', `The field "${foreign}" cannot be changed here. Edit ${file.shown}.`);
  }
  const wanted = Object.entries(changes).filter(
    ([key, value]) => canonicalJson(value) !== canonicalJson(Object.hasOwn(entry, key) ? entry[key] : null),
  );
  return {
    type: 'update',
    name,
    set: wanted.flatMap(([key, value]) => (value === null ? [] : [{ path: [key], value: value as JsonValue }])),
    unset: wanted.flatMap(([key, value]) => (value === null ? [[key]] : [])),
  };
}

/** Errors at fields of the server. */
function faultsIn(server: string, found: FoundConfig, file: ServerFile, after: string) {
  const { fresh, redactor } = newErrors(found, file, after);
  const keys = new Set(editableKeys(file));
  return fresh.flatMap(({ severity, path, message, hint, ...issue }) => {
    const [, name, field] = path;
    const isHere = severity === 'error' && issue.file === file.shown && name === server;
    if (!isHere || typeof field !== 'string' || !keys.has(field)) return [];
    return [{ field, message: redactor.redact(hint === undefined ? message : `${message}. ${hint}`) }];
  });
}

async function withEffects(plan: PlannedChange, edit: ServerEdit, sources: EditSources): Promise<PlannedEdit> {
  const { stack, io } = sources;
  const { file, after, diff, warnings } = plan;
  const config = await loadedWith(file.path, after, sources);
  const reload = config && (await stack.planReload(config));
  const isAlone = config !== undefined && isOnlyChange(edit, stack.config, config);
  const consents = isAlone && io.stateDirectory !== undefined ? lostBy(edit.server, reload) : [];
  const effects = reload
    ? effectsOf({
        plan: reload,
        before: stack.config.servers,
        rows: stack.manager.status(),
        keepsConsent: new Set(consents.map((launch) => launch.server)),
      })
    : ['Nothing changes before the other errors of the files are corrected.'];
  const redact = (text: string): string => stack.redactor.redact(text);
  return {
    view: {
      outcome: 'planned',
      file: file.path,
      diff: truncate(redact(diff), maxDiffLength),
      effects,
      warnings: warnings.map(({ line, code, message }) => redact(`${file.shown}:${line} ${code} ${message}`)),
      base: hexDigest(JSON.stringify([file.path, file.text])),
    },
    planned: { plan, consents },
  };
}

/** False if the entry in the file also differs otherwise from the one in effect, to which the user has consented. */
function isOnlyChange({ server, changes }: ServerEdit, before: LoadedConfig, after: LoadedConfig): boolean {
  const unchangedParts = ({ launches }: LoadedConfig): string => {
    const parts = Object.entries(launches.get(server) ?? {}).filter(([key]) => !Object.hasOwn(changes, key));
    return canonicalJson(Object.fromEntries(parts));
  };
  return unchangedParts(before) === unchangedParts(after);
}

function lostBy(server: string, reload: ReloadPlan | undefined): readonly LaunchToConfirm[] {
  return reload?.losesConsent.filter((launch) => launch.server === server) ?? [];
}

/** The config as it would be. `undefined` if the files have other errors. */
async function loadedWith(path: string, text: string, { files, io }: EditSources): Promise<LoadedConfig | undefined> {
  try {
    return await loadConfig({ ...configSource(files, io), unsaved: { [path]: text } });
  } catch (error) {
    if (isConfigError(error) && error.code === 'invalid-config') return undefined;
    throw error;
  }
}
