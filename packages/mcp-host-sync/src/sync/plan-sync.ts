import { hexDigest } from '@x/internal/files';
import { isForbiddenKey, isRecord } from '@x/internal/json';
import { shownName } from '@x/internal/names';
import { checkOption, type OptionRows, optionTable } from '@x/internal/options';
import { quoted } from '@x/internal/text';
import { findHost } from '../adapters/all-hosts.js';
import type { HostIssue } from '../host-issue.js';
import type { HostServer } from '../host-server.js';
import { Sealed } from '../sealed.js';
import { noOwnership, type OwnedFile, ownedFile, sameRecord } from './ownership.js';
import { type ContainerPlan, planContainer } from './plan-container.js';
import { afterPlan, isStillCreated, type PlannedContainers, pendingContainers, recordedFile } from './recorded-file.js';
import type { FileChange, HostDocument, SyncInput, SyncPlan, SyncStep } from './sync-plan.js';

export const planRows = {
  owner: { kind: 'text' },
  force: { kind: 'flag' },
  adopt: { kind: 'other', check: servedFault },
  bridgeRemote: { kind: 'flag' },
  writeSecrets: { kind: 'object' },
  projectSecrets: { kind: 'word', words: ['refuse', 'write'] },
  toolLists: { kind: 'word', words: ['warn', 'write'] },
} as const satisfies OptionRows<Omit<SyncInput, 'ours' | 'theirs' | 'ownership'>>;

/** Further keys are those of `syncHosts`. */
const syncInput = optionTable<SyncInput>('ignored')({
  ...planRows,
  ours: { kind: 'other', required: true, check: serversFault },
  theirs: { kind: 'other', required: true, check: documentsFault },
  ownership: { kind: 'object' },
});

function serversFault(ours: unknown): string | undefined {
  return Array.isArray(ours) && ours.every(isRecord)
    ? undefined
    : 'a list of servers { name, transport, command }, as config.servers is';
}

function servedFault(adopt: unknown): string | undefined {
  return Array.isArray(adopt) && adopt.every((each) => isRecord(each) && isRecord(each.server))
    ? undefined
    : 'a list of { server, resolved? }, each with servers as in ours';
}

function documentsFault(theirs: unknown): string | undefined {
  return Array.isArray(theirs) ? undefined : 'the result of await readHostDocuments(hosts)';
}

/**
 * Plans the changes that give the hosts the wanted servers; reads and writes no files. A file that cannot be edited, or
 * an unsupported server, becomes an issue and is left out.
 *
 * @throws {TypeError} Two servers have the same name, or a name, text or option is invalid.
 * @throws {HostFileError} `unknown-host`
 */
export function planSync(input: SyncInput): SyncPlan {
  syncInput.read(input);
  checkServers(input.ours);
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

/** Plans one change per file, which several hosts may share. */
function planFile(documents: readonly HostDocument[], input: SyncInput): FilePlan {
  const [first] = documents;
  if (first === undefined) return { steps: [], issues: [], change: undefined };

  const recorded = ownedFile(input.ownership ?? noOwnership, first.file);
  const plans: ContainerPlan[] = [];
  let known = recorded?.containers ?? [];
  let text = first.text ?? '';
  for (const document of documents) {
    const plan = planContainer({ ...document, text }, input, known, plans);
    plans.push(plan);
    known = afterPlan(known, plan);
    text = plan.text;
  }
  const steps = plans.flatMap((plan) => plan.steps);
  const issues = plans.flatMap((plan) => plan.issues);
  return { steps, issues, change: fileChange(first, text, recorded, { plans, done: known }) };
}

function fileChange(
  { host, file, inside, text: before }: HostDocument,
  text: string,
  recorded: OwnedFile | undefined,
  containers: PlannedContainers,
): FileChange | undefined {
  const isSame = text === (before ?? '');
  const isCreated = before === undefined ? !isSame : isStillCreated(recorded, containers, { isSame });
  const pending = recordedFile(file, pendingContainers(recorded, containers), { isCreated });
  const done = recordedFile(file, containers.done, { isCreated });
  if (isSame && sameRecord(done, recorded)) return undefined;

  const isEmptied = isCreated && text.trim() === '' && before !== undefined;
  return {
    file,
    effect: isSame ? 'record' : isEmptied ? 'delete' : 'write',
    scope: findHost(host).scope,
    inside,
    before: before === undefined ? undefined : hexDigest(before),
    content: new Sealed({ text, recorded, pending: pending ?? { path: file, containers: [] }, done }),
  };
}

function byFile(documents: readonly HostDocument[]): readonly (readonly HostDocument[])[] {
  const groups = new Map<string, HostDocument[]>();
  for (const document of documents) groups.set(document.file, [...(groups.get(document.file) ?? []), document]);
  return [...groups.values()];
}

const transport = { kind: 'word', words: ['stdio', 'http', 'sse'] } as const;

/** @throws {TypeError} A name or text is invalid in any file, or two servers have the same name. */
function checkServers(ours: readonly HostServer[]): void {
  const names = new Set<string>();
  for (const server of ours) {
    const { name } = server;
    if (typeof name !== 'string' || !shownName.test(name) || isForbiddenKey(name)) {
      throw new TypeError(`ours contains a server named ${quoted(String(name))}: use 1 to 128 printable characters`);
    }
    if (names.has(name)) throw new TypeError(`ours contains two servers named ${quoted(name)}: rename one`);
    names.add(name);
    checkOption(`transport of ${quoted(name)}`, transport, server.transport);
    checkTexts(server);
  }
}

function checkTexts(server: HostServer): void {
  for (const [field, texts] of Object.entries(textsOf(server))) {
    const place = `the ${field} of ${quoted(server.name)}`;
    requireShape(place, field, texts);
    const keys = typeof texts === 'object' && !Array.isArray(texts) ? Object.keys(texts) : [];
    const values = typeof texts === 'object' ? Object.values(texts) : [texts];
    const bad = keys.find((key) => isForbiddenKey(key) || key === '');
    if (bad !== undefined) throw new TypeError(`ours has the key ${quoted(bad)} in ${place}: use another key`);
    if ([...keys, ...values].some((text) => typeof text !== 'string' || /[\0\p{Surrogate}]/u.test(text))) {
      throw new TypeError(`ours has a value in ${place} that is not valid text: remove NUL and lone surrogates`);
    }
  }
}

function requireShape(place: string, field: string, texts: unknown): void {
  if (field === 'args') {
    if (!Array.isArray(texts)) throw new TypeError(`${place} must be a list of texts, such as ["-y", "files-mcp"]`);
  } else if (field === 'env' || field === 'headers') {
    const isPlain = isRecord(texts) && !(Symbol.iterator in texts);
    if (!isPlain || Object.values(texts).some((text) => typeof text !== 'string'))
      throw new TypeError(`${place} must be an object of texts, such as { "LEVEL": "debug" }`);
  } else if (typeof texts !== 'string') throw new TypeError(`${place} must be a text, got ${typeof texts}`);
}

function textsOf(
  server: HostServer,
): Readonly<Record<string, string | readonly string[] | Readonly<Record<string, string>>>> {
  if (server.transport !== 'stdio') return { url: server.url, headers: server.headers ?? {} };
  const { command, args = [], env = {}, cwd = '' } = server;
  return { command, args, env, cwd };
}
