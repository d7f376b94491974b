import type { FindingDraft } from './draft.js';
import { nameSkeleton, plainLetters } from './name-skeleton.js';
import type { NameOwner, OfferedNames } from './offered-names.js';

const MAX_NAME_LENGTH = 100;
const MIN_TYPO_LENGTH = 8;
/** Beyond so many names, those one letter apart are many and mean little. */
const MAX_TYPO_NAMES = 5_000;

/** Which names look like which; made once for all that is offered. */
export interface LookAlikes {
  find(server: string, tool: string): readonly FindingDraft[];
}

export function collectLookAlikes(names: OfferedNames): LookAlikes {
  const bySkeleton = groupNames(names, (name) => [nameSkeleton(name)]);
  const byDeletion =
    names.size > MAX_TYPO_NAMES ? undefined : groupNames(names, (name) => (isLong(name) ? deletionsOf(name) : []));

  return {
    find(server, tool) {
      if (tool.length > MAX_NAME_LENGTH) return [];
      const letters = findForeignLetters(tool);
      const twin = otherOwner(server, tool, bySkeleton.get(nameSkeleton(tool)), names);
      if (twin !== undefined) return [...letters, draft('high', `a name that looks like ${show(twin)}`, twin)];
      if (byDeletion === undefined || !isLong(tool)) return letters;
      const near = deletionsOf(tool)
        .flatMap((key) => byDeletion.get(key) ?? [])
        .filter((other) => isTypo(tool, other));
      const typo = otherOwner(server, tool, near, names);
      return typo === undefined
        ? letters
        : [...letters, draft('low', `a name one letter away from ${show(typo)}`, typo)];
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

/** The first other tool, of another server, that does not have the very same name. */
function otherOwner(
  server: string,
  tool: string,
  similar: readonly string[] | undefined,
  names: OfferedNames,
): NameOwner | undefined {
  return similar
    ?.filter((name) => name !== tool)
    .flatMap((name) => names.get(name) ?? [])
    .find((owner) => owner.server !== server);
}

function groupNames(names: OfferedNames, keysOf: (name: string) => readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names.keys()) {
    if (name.length > MAX_NAME_LENGTH) continue;
    for (const key of keysOf(name)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [name]);
      else group.push(name);
    }
  }
  return groups;
}

function isLong(name: string): boolean {
  return name.length >= MIN_TYPO_LENGTH;
}

/** Two names that are one letter apart have one of these in common. */
function deletionsOf(name: string): readonly string[] {
  const keys = Array.from({ length: name.length }, (_, index) => name.slice(0, index) + name.slice(index + 1));
  return [name, ...keys];
}

/** One letter more, less, or another one. Plurals and numbers are other words and no typing errors. */
function isTypo(left: string, right: string): boolean {
  if (Math.abs(left.length - right.length) > 1) return false;
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

function show({ server, tool }: NameOwner): string {
  const whose = server === undefined ? 'of the host app' : `of server ${JSON.stringify(server)}`;
  return `${JSON.stringify(tool)} ${whose}`;
}

function draft(severity: FindingDraft['severity'], what: string, other?: NameOwner): FindingDraft {
  return { code: 'look-alike-name', severity, field: 'name', what, ...(other === undefined ? {} : { other }) };
}
