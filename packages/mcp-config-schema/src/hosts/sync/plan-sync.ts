import { findHost } from '../adapters/all-hosts.js';
import { textHash } from '../entry/entry-form.js';
import type { HostDocument } from '../host-document.js';
import type { HostIssue } from '../host-issue.js';
import { checkOurs } from './check-ours.js';
import { noOwnership, type OwnedFile, ownedFile, sameRecord } from './ownership.js';
import { type ContainerPlan, planContainer } from './plan-container.js';
import { recordedFile } from './recorded-file.js';
import { Sealed } from './sealed.js';
import type { SyncInput } from './sync-input.js';
import type { FileChange, SyncPlan, SyncStep } from './sync-plan.js';

/**
 * Decides what has to happen for the hosts to have our servers. Pure: reads and writes nothing.
 *
 * A file that cannot be edited, or a server that a host cannot hold, is an issue, and the rest goes on without it.
 *
 * @throws {TypeError} when two of our servers have one name, or a name or text that no file could hold
 * @throws {HostFileError} `unknown-host`
 */
export function planSync(input: SyncInput): SyncPlan {
  checkOurs(input.ours);
  const steps: SyncStep[] = [];
  const issues: HostIssue[] = [];
  const files: FileChange[] = [];
  for (const documents of byFile(input.theirs)) {
    const plan = planFile(documents, input);
    steps.push(...plan.steps);
    issues.push(...plan.issues);
    if (plan.change !== undefined) files.push(plan.change);
  }
  return { steps, issues, files };
}

interface FilePlan {
  readonly steps: readonly SyncStep[];
  readonly issues: readonly HostIssue[];
  readonly change: FileChange | undefined;
}

/** Several hosts may share a file; what they want of it is put into one change. */
function planFile(documents: readonly HostDocument[], input: SyncInput): FilePlan {
  const [first] = documents;
  if (first === undefined) return { steps: [], issues: [], change: undefined };

  const recorded = ownedFile(input.ownership ?? noOwnership, first.file);
  const containers: ContainerPlan[] = [];
  let text = first.text ?? '';
  for (const document of documents) {
    const plan = planContainer({ ...document, text }, input, recorded, containers);
    containers.push(plan);
    text = plan.text;
  }
  const steps = containers.flatMap((plan) => plan.steps);
  const issues = containers.flatMap((plan) => plan.issues);
  return { steps, issues, change: fileChange(first, text, recorded, containers) };
}

function fileChange(
  { host, file, inside, text: before }: HostDocument,
  text: string,
  recorded: OwnedFile | undefined,
  containers: readonly ContainerPlan[],
): FileChange | undefined {
  const isCreated = before === undefined ? text !== '' : recorded?.createdFile === true;
  const pending = recordedFile(file, recorded, containers, { isCreated, phase: 'pending' });
  const done = recordedFile(file, recorded, containers, { isCreated, phase: 'done' });
  const isSame = text === (before ?? '');
  if (isSame && sameRecord(done, recorded)) return undefined;

  const isEmptied = isCreated && text.trim() === '' && before !== undefined;
  return {
    file,
    effect: isSame ? 'record' : isEmptied ? 'delete' : 'write',
    scope: findHost(host).scope,
    inside,
    before: before === undefined ? undefined : textHash(before),
    content: new Sealed({ text, recorded, pending: pending ?? { path: file, containers: [] }, done }),
  };
}

function byFile(documents: readonly HostDocument[]): readonly (readonly HostDocument[])[] {
  const groups = new Map<string, HostDocument[]>();
  for (const document of documents) groups.set(document.file, [...(groups.get(document.file) ?? []), document]);
  return [...groups.values()];
}
