import { hexDigest } from '@x/internal/files';
import { canonicalJson } from '@x/internal/json';
import { type DocumentShape, type EntryEdit, type EntryFields, isObject, type JsonValue } from '../edit/document.js';
import {
  comparable,
  type EntryForm,
  enabledState,
  entryHash,
  fieldPath,
  flattened,
  sameEntry,
} from '../entry/entry-form.js';
import { conflictMessage, decideEntry } from './decide-entry.js';
import { entryDiff } from './entry-diff.js';
import type { OwnedEntry } from './ownership.js';
import type { SyncStep } from './sync-plan.js';
import type { WantedEntry } from './wanted-entries.js';

export interface EntryPlan {
  readonly name: string;
  /** Missing: the user sees no step. */
  readonly step?: SyncStep;
  readonly edits: readonly EntryEdit[];
  /** Record of the entry during and after the write. */
  readonly records: { readonly pending?: OwnedEntry | undefined; readonly done?: OwnedEntry | undefined };
  /** True if `records` replaces the earlier record of this name, even if empty. */
  readonly isSettled: boolean;
}

interface EntryInput {
  readonly name: string;
  readonly file: string;
  readonly host: string;
  readonly owner: string;
  readonly shape: DocumentShape;
  readonly form: EntryForm;
  readonly desired: WantedEntry | undefined;
  readonly current: JsonValue | undefined;
  readonly record: OwnedEntry | undefined;
  readonly force: boolean;
}

export function planEntry(given: EntryInput): EntryPlan {
  const { name, desired, current, record, force } = given;
  // Lists that a sync has written stay part of the entry until a sync removes them.
  const ownsLists = desired?.hasToolLists === true || record?.hasToolLists === true;
  const form: EntryForm = ownsLists ? { ...given.form, comparesTools: true } : given.form;
  const input = { ...given, form };
  const desiredHash = desired && entryHash(desired.entry, form);
  const currentHash = current === undefined ? undefined : hashOf(current, form);
  const setToggle = mustSetToggle(input);
  const decision = decideEntry({ desiredHash, currentHash, setToggle, record, force });
  const nothing = { name, edits: [], records: {} };

  switch (decision.type) {
    case 'nothing':
      return { ...nothing, isSettled: false };
    case 'forget':
      return { ...nothing, isSettled: true };
    case 'keep': {
      const kept = record && {
        ...recordOf(input),
        hash: currentHash,
        enabled: desired?.enabled,
        hasToolLists: desired?.hasToolLists,
      };
      return {
        ...nothing,
        step: step('keep', input, ''),
        records: { pending: kept, done: kept },
        isSettled: kept !== undefined,
      };
    }
    case 'conflict': {
      const { reason } = decision;
      const message = conflictMessage(name, reason);
      const conflict = {
        ...step('keep', input, diffOf(input, setToggle)),
        type: 'conflict',
        reason,
        message,
      } as const;
      return { ...nothing, step: conflict, isSettled: false };
    }
    case 'remove': {
      const pending = { ...recordOf(input), hash: record?.hash, enabled: record?.enabled, pending: { hash: null } };
      const edits: readonly EntryEdit[] = [{ type: 'remove', name }];
      return {
        ...nothing,
        step: step('remove', input, diffOf(input, setToggle)),
        edits,
        records: { pending },
        isSettled: true,
      };
    }
    default: {
      const base = recordOf(input);
      const pending = { ...base, hash: record?.hash, enabled: record?.enabled, pending: { hash: desiredHash ?? null } };
      const done = { ...base, hash: desiredHash, enabled: desired?.enabled, hasToolLists: desired?.hasToolLists };
      const shown = step(decision.type, input, diffOf(input, setToggle));
      return {
        ...nothing,
        step: shown,
        edits: writingEdits(input, setToggle),
        records: { pending, done },
        isSettled: true,
      };
    }
  }
}

function hashOf(current: JsonValue, form: EntryForm): string {
  return isObject(current) ? entryHash(current, form) : hexDigest(canonicalJson(current));
}

/** Users may change the toggle in the host, so it is written only if the server was enabled or disabled since. */
function mustSetToggle({ desired, current, record, force, form }: EntryInput): boolean {
  if (desired === undefined || !isObject(current)) return false;
  const isOn = enabledState(current, form) ?? true;
  const isChangedHere =
    record === undefined ? force : record.enabled !== undefined && record.enabled !== desired.enabled;
  return isChangedHere && isOn !== desired.enabled;
}

function writingEdits({ name, desired, current, form }: EntryInput, setToggle: boolean): readonly EntryEdit[] {
  if (desired === undefined) return [];
  const { entry } = desired;
  if (current === undefined) return [{ type: 'add', name, entry }];
  if (isObject(current)) return [updateEdit(name, current, entry, form, { setToggle })];
  return [
    { type: 'remove', name },
    { type: 'add', name, entry },
  ];
}

function diffOf({ name, file, shape, form, desired, current, record }: EntryInput, setToggle: boolean): string {
  const before = isObject(current) ? current : undefined;
  const after = desired && (before ? mergedEntry(before, desired.entry, form, { setToggle }) : desired.entry);
  return entryDiff({
    file,
    shape,
    name,
    before,
    after,
    form,
    secrets: desired?.secrets ?? [],
    hidesAll: record?.hasSecrets ?? false,
  });
}

function step(
  type: 'add' | 'change' | 'remove' | 'keep',
  { host, file, name }: EntryInput,
  diff: string,
): Exclude<SyncStep, { readonly type: 'conflict' }> {
  return { type, host, file, server: name, diff };
}

function recordOf({ name, host, owner, desired, record }: EntryInput): OwnedEntry {
  const hasSecrets = (desired?.secrets.length ?? 0) > 0 || (desired === undefined && record?.hasSecrets === true);
  const hasToolLists = desired?.hasToolLists ?? record?.hasToolLists;
  return { name, host, owner, ...(hasSecrets ? { hasSecrets } : {}), ...(hasToolLists ? { hasToolLists } : {}) };
}

type Update = Extract<EntryEdit, { readonly type: 'update' }>;

function updateEdit(
  name: string,
  current: EntryFields,
  desired: EntryFields,
  form: EntryForm,
  { setToggle }: { readonly setToggle: boolean },
): Update {
  const set: { path: readonly string[]; value: JsonValue }[] = [];
  const unset: (readonly string[])[] = [];
  const before = comparable(current, form);
  const after = comparable(desired, form);
  const changes = fieldChanges(before, after, []);
  const placed = ([field = '', ...rest]: readonly string[]) => [...fieldPath(current, field, form), ...rest];
  for (const { path, value } of changes) {
    if (value === undefined) unset.push(placed(path));
    else set.push({ path: placed(path), value });
  }
  if (setToggle && form.toggle !== undefined) {
    const { field, key } = form.toggle;
    const value = desired[field];
    if (key !== undefined && isObject(value)) set.push({ path: [field, key], value: value[key] ?? null });
    else if (value !== undefined) set.push({ path: [field], value });
    else if (flattened(current, form)[field] !== undefined) unset.push([field]);
  }
  return { type: 'update', name, set, unset };
}

function mergedEntry(
  current: EntryFields,
  desired: EntryFields,
  form: EntryForm,
  { setToggle }: { readonly setToggle: boolean },
): EntryFields {
  const now = flattened(current, form);
  const compared = comparable(current, form);
  const wanted = comparable(desired, form);
  const kept = Object.entries(now).filter(([key]) => !Object.hasOwn(compared, key) || Object.hasOwn(wanted, key));
  const toggle = form.toggle?.field;
  const merged = { ...Object.fromEntries(kept), ...wanted };
  if (!setToggle || toggle === undefined) return merged;
  const { [toggle]: there, ...others } = merged;
  const value = desired[toggle];
  if (value === undefined) return others;
  return { ...others, [toggle]: isObject(there) && isObject(value) ? { ...there, ...value } : value };
}

interface FieldChange {
  readonly path: readonly string[];
  /** Missing: the field is removed. */
  readonly value?: JsonValue;
}

function fieldChanges(before: EntryFields, after: EntryFields, path: readonly string[]): readonly FieldChange[] {
  const gone = Object.keys(before)
    .filter((key) => !Object.hasOwn(after, key))
    .map((key): FieldChange => ({ path: [...path, key] }));
  const written = Object.entries(after).flatMap(([key, value]): readonly FieldChange[] => {
    const known = Object.hasOwn(before, key) ? before[key] : undefined;
    if (known !== undefined && sameEntry(known, value)) return [];
    if (isObject(known) && isObject(value)) return fieldChanges(known, value, [...path, key]);
    return [{ path: [...path, key], value }];
  });
  return [...gone, ...written];
}
