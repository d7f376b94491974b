import type { SourceTools } from '../catalog/snapshot.js';
import { nameSkeleton, plainLetters } from './look-alike-letters.js';
import type { FindingDraft } from './tool-finding.js';

const MAX_NAME_LENGTH = 100;
const MIN_TYPO_LENGTH = 8;
/** Number of names beyond which typos are not searched. */
const MAX_TYPO_NAMES = 5_000;

interface LookAlikes {
  find(server: string, tool: string): readonly FindingDraft[];
}

export function collectLookAlikes(servers: readonly ServerNames[]): LookAlikes {
  const bySkeleton = groupNames(servers, (name) => [nameSkeleton(name)]);
  const different = new Set(servers.flatMap(({ tools }) => tools)).size;
  const byDeletion = different > MAX_TYPO_NAMES ? undefined : groupNames(servers, deletionsOf);

  return {
    find(server, tool) {
      if (tool.length > MAX_NAME_LENGTH) return [];
      const letters = findForeignLetters(tool);
      const twin = findOther(bySkeleton.get(nameSkeleton(tool)), server, (name) => name !== tool);
      if (twin !== undefined) return [...letters, draft('high', `a name that looks like ${describeOwner(twin)}`, twin)];
      if (byDeletion === undefined) return letters;
      for (const key of deletionsOf(tool)) {
        const typo = findOther(byDeletion.get(key), server, (name) => isTypo(tool, name));
        if (typo !== undefined)
          return [...letters, draft('low', `a name one letter away from ${describeOwner(typo)}`, typo)];
      }
      return letters;
    },
  };
}

function findForeignLetters(tool: string): readonly FindingDraft[] {
  if (/^[\x20-\x7e]*$/.test(tool)) return [];
  const plain = plainLetters(tool);
  const isAscii = /^[\x20-\x7e]*$/.test(plain);
  const scripts = [
    /\p{Script=Latin}/u,
    /\p{Script=Cyrillic}|\p{Script=Greek}|\p{Script=Armenian}|\p{Script=Cherokee}/u,
  ];
  if (scripts.every((script) => script.test(tool))) {
    return [draft('high', `a name with letters of several scripts${isAscii ? `, which reads as "${plain}"` : ''}`)];
  }
  if (isAscii) return [draft('medium', `a name whose letters look like others, so that it reads as "${plain}"`)];
  return tool === tool.normalize('NFC') ? [] : [draft('low', 'a name that is not in Unicode’s usual form (NFC)')];
}

/** Grouped by server, to skip a server's own names together. */
type NameGroups = ReadonlyMap<string, readonly ServerNames[]>;

function groupNames(servers: readonly ServerNames[], keysOf: (name: string) => Iterable<string>): NameGroups {
  const groups = new Map<string, { readonly server: string | undefined; readonly tools: string[] }[]>();
  for (const { server, tools } of servers) {
    for (const name of tools) {
      if (name.length > MAX_NAME_LENGTH) continue;
      for (const key of keysOf(name)) {
        const group = groups.get(key);
        const last = group?.at(-1);
        if (last !== undefined && last.server === server) last.tools.push(name);
        else if (group !== undefined) group.push({ server, tools: [name] });
        else groups.set(key, [{ server, tools: [name] }]);
      }
    }
  }
  return groups;
}

function findOther(
  group: readonly ServerNames[] | undefined,
  own: string,
  isMeant: (name: string) => boolean,
): NameOwner | undefined {
  for (const { server, tools } of group ?? []) {
    const tool = server === own ? undefined : tools.find(isMeant);
    if (tool !== undefined) return { server, tool };
  }
  return undefined;
}

/** Names that differ by one letter share a key. Short names have none. */
function deletionsOf(name: string): ReadonlySet<string> {
  if (name.length < MIN_TYPO_LENGTH) return new Set();
  const keys = Array.from({ length: name.length }, (_, index) => name.slice(0, index) + name.slice(index + 1));
  return new Set([name, ...keys]);
}

/** True for one letter more, less or different. Plurals and numbers are not typos. */
function isTypo(left: string, right: string): boolean {
  if (left === right || Math.abs(left.length - right.length) > 1) return false;
  let start = 0;
  while (start < left.length && left[start] === right[start]) start++;
  let [leftEnd, rightEnd] = [left.length, right.length];
  while (leftEnd > start && rightEnd > start && left[leftEnd - 1] === right[rightEnd - 1]) {
    leftEnd--;
    rightEnd--;
  }
  const [removed, added] = [left.slice(start, leftEnd), right.slice(start, rightEnd)];
  if (removed.length > 1 || added.length > 1) return false;
  return ![removed, added].some((letter) => /[sd\d_.-]/i.test(letter));
}

function draft(severity: FindingDraft['severity'], what: string, other?: NameOwner): FindingDraft {
  return { code: 'look-alike-name', severity, field: 'name', what, ...(other === undefined ? {} : { other }) };
}

/** `server` is `undefined` for the app's own tools. */
export interface NameOwner {
  readonly server: string | undefined;
  readonly tool: string;
}

export function describeOwner({ server, tool }: NameOwner): string {
  const whose = server === undefined ? 'of the host app' : `of server ${JSON.stringify(server)}`;
  return `${JSON.stringify(tool)} ${whose}`;
}

interface ServerNames {
  readonly server: string | undefined;
  readonly tools: readonly string[];
}

/** By name: natives first, then in the order of servers. A map, because names are foreign text. */
export type OfferedNames = ReadonlyMap<string, readonly NameOwner[]>;

/** Natives first, then in the order of servers. */
export function listNames(offered: readonly SourceTools[], natives: readonly string[]): readonly ServerNames[] {
  const servers = offered.map(({ name: server, checked }) => ({
    server,
    tools: checked.tools.map(({ name }) => name),
  }));
  return [{ server: undefined, tools: natives }, ...servers];
}

export function collectNames(servers: readonly ServerNames[]): OfferedNames {
  const names = new Map<string, NameOwner[]>();
  for (const { server, tools } of servers) {
    for (const tool of tools) {
      const same = names.get(tool);
      if (same === undefined) names.set(tool, [{ server, tool }]);
      else same.push({ server, tool });
    }
  }
  return names;
}
