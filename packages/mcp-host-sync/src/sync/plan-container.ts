import { printable } from '@x/internal/text';
import { findHost } from '../adapters/all-hosts.js';
import type { HostAdapter } from '../adapters/host-adapter.js';
import type { EntryEdit } from '../edit/document.js';
import { editEntries, readEntries } from '../edit/edit-entries.js';
import { type DocumentLayout, documentLayout } from '../entry/entry-form.js';
import { type HostFileError, inFile, isHostFileError } from '../host-error.js';
import type { HostIssue } from '../host-issue.js';
import { Sealed } from '../sealed.js';
import { adoptEntries } from './adopt-entries.js';
import { type OwnedContainer, ownedContainer, sameKeyPath } from './ownership.js';
import { type EntryPlan, planEntry } from './plan-entry.js';
import type { HostDocument, SyncInput, SyncStep } from './sync-plan.js';
import { wantedEntries } from './wanted-entries.js';

export interface ContainerPlan {
  readonly host: string;
  readonly steps: readonly SyncStep[];
  readonly issues: readonly HostIssue[];
  readonly text: string;
  /** Missing if the container was not read; its record stays. */
  readonly records?: { readonly pending: OwnedContainer; readonly done: OwnedContainer };
  /** True if the container still has a recorded entry. */
  readonly hasOurs?: boolean;
}

/** A document with the text after earlier plans for the same file. */
type TextDocument = HostDocument & { readonly text: string };

export function planContainer(
  document: TextDocument,
  input: SyncInput,
  recorded: readonly OwnedContainer[],
  earlier: readonly ContainerPlan[],
): ContainerPlan {
  const adapter = findHost(document.host);
  const { host, text } = document;
  const issues = documentIssues(document);
  try {
    if (document.fault !== undefined) throw document.fault;
    const layout = documentLayout(adapter, text, document);
    const sharing = earlier.find(
      (plan) => plan.records && sameKeyPath(plan.records.done.keyPath, layout.shape.keyPath),
    );
    if (sharing !== undefined)
      return { host, steps: [], issues: [...issues, sharedFile(document, sharing.host)], text };

    const known = ownedContainer(recorded, layout.shape.keyPath);
    return planEntries({ document, adapter, layout, input, known }, issues);
  } catch (error) {
    if (!isHostFileError(error)) throw error;
    return { host, steps: [], issues: [...issues, notEdited(document, error)], text };
  }
}

interface Planning {
  readonly document: TextDocument;
  readonly adapter: HostAdapter;
  readonly layout: DocumentLayout;
  readonly input: SyncInput;
  readonly known: OwnedContainer | undefined;
}

function planEntries(
  { document, adapter, layout, input, known }: Planning,
  issues: readonly HostIssue[],
): ContainerPlan {
  const { shape, form } = layout;
  const wanted = wantedEntries(document, adapter, form, input);
  const additions = Array.from(wanted.entries, ([name, { entry }]): EntryEdit => ({ type: 'add', name, entry }));
  const entries = readEntries(document.text, shape, additions);
  const owner = input.owner ?? 'mcpx';
  const records = new Map(known?.entries.flatMap((entry) => (entry.owner === owner ? [[entry.name, entry]] : [])));
  const names = new Set([...wanted.entries.keys(), ...records.keys()].filter((name) => !wanted.refused.has(name)));

  const plans = [...names].map((name) =>
    planEntry({
      ...{ name, file: document.file, host: adapter.id, owner, shape, form },
      desired: wanted.entries.get(name),
      current: entries.get(name),
      record: records.get(name),
      force: input.force ?? false,
    }),
  );
  const replaces =
    wanted.entries.size > 0 &&
    plans.every(({ name, step }) => step?.type !== 'conflict' && document.isOff?.(name) !== true);
  const served = replaces ? input.adopt : undefined;
  const adopted =
    served === undefined
      ? { plans: [], issues: [] }
      : adoptEntries({ document, adapter, layout, entries, known, served, planned: names });
  const all = [...plans, ...adopted.plans];
  const hasOurs = known?.entries.some(({ name }) => entries.has(name)) ?? false;
  const edited = edit(document.text, all, layout, adapter, known, hasOurs);
  const isAdded = plans.some((plan) => plan.step?.type === 'add');
  const notes = isAdded ? [...replacedHost(document, adapter), ...condition(document, adapter)] : [];
  return {
    host: adapter.id,
    steps: all.flatMap((plan) => plan.step ?? []),
    issues: [...issues, ...wanted.issues, ...adopted.issues, ...notes],
    text: edited.text,
    records: {
      pending: container(plans, known, shape.keyPath, edited.origin, 'pending'),
      done: container(plans, known, shape.keyPath, edited.origin, 'done'),
    },
    hasOurs,
  };
}

function edit(
  text: string,
  plans: readonly EntryPlan[],
  { shape }: DocumentLayout,
  { byteOrderMark }: HostAdapter,
  known: OwnedContainer | undefined,
  hasOurs: boolean,
): { readonly text: string; readonly origin: OwnedContainer['origin'] } {
  // All removals come before additions, so that none waits for an addition.
  const edits: readonly EntryEdit[] = [
    ...plans.flatMap((plan) => plan.edits.slice(0, -1)),
    ...plans.flatMap((plan) => plan.edits.slice(-1)),
  ];
  if (edits.length === 0) return { text, origin: known?.origin };
  // Without recorded entries, another program may have created the container.
  const origin = hasOurs ? known?.origin : undefined;
  const result = editEntries(text, shape, edits, { removeEmptyContainer: origin ?? false });
  const isMarked = byteOrderMark === 'drop' && result.text.startsWith('\uFEFF');
  return { text: isMarked ? result.text.slice(1) : result.text, origin: origin ?? result.origin };
}

function container(
  plans: readonly EntryPlan[],
  known: OwnedContainer | undefined,
  keyPath: readonly string[],
  created: OwnedContainer['origin'],
  phase: 'pending' | 'done',
): OwnedContainer {
  const written = plans.flatMap((plan) => plan.records[phase] ?? []);
  const settled = new Set(plans.filter((plan) => plan.isSettled).map((plan) => plan.name));
  const others = (known?.entries ?? []).filter((entry) => !settled.has(entry.name));
  const entries = [...others, ...written].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const origin = entries.length === 0 ? known?.origin : created; // for a removed container: transferred to another one
  return { keyPath, ...(origin === undefined ? {} : { origin }), entries };
}

function documentIssues({ host, file, alsoFound = [] }: HostDocument): readonly HostIssue[] {
  if (alsoFound.length === 0) return [];
  const whole = (path: string) => `"${printable(path)}"`; // of a cut one, the name of the file would be missing
  const message = `This host has several files; only ${whole(file)} is edited, not ${alsoFound.map(whole).join(', ')}`;
  return [{ code: 'several-files', severity: 'warning', host, file, message }];
}

function sharedFile({ host, file }: HostDocument, writer: string): HostIssue {
  const message = `${host} reads the same entries as ${writer}. They are written once, in the form for ${writer}`;
  const hint = 'sync one of the two; a program that reads both would start each server twice';
  return { code: 'shared-file', severity: 'warning', host, file, message, hint };
}

function replacedHost({ host, file }: HostDocument, { name, replacedBy }: HostAdapter): readonly HostIssue[] {
  if (replacedBy === undefined) return [];
  const message = `${name} has a successor that may not read this file`;
  return [{ code: 'legacy-host', severity: 'warning', host, file, message, hint: `sync ${replacedBy} as well` }];
}

function condition({ host, file }: HostDocument, { condition }: HostAdapter): readonly HostIssue[] {
  if (condition === undefined) return [];
  const { says: message, hint } = condition;
  return [{ code: 'conditional-file', severity: 'warning', host, file, message, hint }];
}

function notEdited({ host, file }: HostDocument, error: HostFileError): HostIssue {
  const { code: reason, message, line, column, manualSnippet } = inFile(error, file);
  const issue = { code: 'file-not-edited', severity: 'error', host, file, reason, line, column, message } as const;
  // Adding the entry by hand does not help before the syntax is valid.
  if (reason !== 'unsupported-shape' || manualSnippet === undefined) return issue;
  return { ...issue, hint: 'add the text of manualSnippet by hand', manualSnippet: new Sealed(manualSnippet) };
}
