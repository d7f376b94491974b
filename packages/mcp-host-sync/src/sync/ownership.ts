import { canonicalJson } from '@x/internal/json';
import type { ContainerOrigin } from '../edit/document-shape.js';

/** What was written into other programs' files, and how to tell that it is still as it was. */
export interface Ownership {
  readonly files: readonly OwnedFile[];
}

/** A host's file in which a sync has written, and what in it was. */
export interface OwnedFile {
  readonly path: string;
  /** There was no file before. */
  readonly createdFile?: true | undefined;
  /** The uppermost directory that had to be made for it. */
  readonly createdDirectory?: string | undefined;
  readonly containers: readonly OwnedContainer[];
}

/** One map or list of servers in a file. */
export interface OwnedContainer {
  readonly keyPath: readonly string[];
  /** What stood there before the first entry; the removal of the last one brings it back. */
  readonly origin?: ContainerOrigin | undefined;
  readonly entries: readonly OwnedEntry[];
}

/** An entry of a host's file that was written by a sync. */
export interface OwnedEntry {
  readonly name: string;
  readonly host: string;
  /** On whose behalf it was written; each owner adds and removes its own. */
  readonly owner: string;
  /** Hash of the entry without the fields that are the host's own. Missing while it is written for the first time. */
  readonly hash?: string | undefined;
  /** Whether the entry said that the server is on. */
  readonly enabled?: boolean | undefined;
  /** Values of variables were written into it. */
  readonly hasSecrets?: true | undefined;
  /**
   * What was about to be written; `hash` is `null` for a removal. Left behind only by a process that was killed, and
   * then it is unknown whether the file has it.
   */
  readonly pending?: { readonly hash: string | null } | undefined;
}

export const noOwnership: Ownership = { files: [] };

export function ownedFile(ownership: Ownership, path: string): OwnedFile | undefined {
  return ownership.files.find((file) => file.path === path);
}

export function ownedContainer(
  containers: readonly OwnedContainer[],
  keyPath: readonly string[],
): OwnedContainer | undefined {
  return containers.find((container) => sameKeyPath(container.keyPath, keyPath));
}

/** The ownership with one file's record replaced; `undefined` forgets the file. */
export function withFile(ownership: Ownership, path: string, file: OwnedFile | undefined): Ownership {
  const others = ownership.files.filter((known) => known.path !== path);
  return { files: file === undefined ? others : [...others, file] };
}

/** Whatever the order of their fields, and whether a missing one is spelled out. Directories do not count. */
export function sameRecord(left: OwnedFile | undefined, right: OwnedFile | undefined): boolean {
  const canonical = (file: OwnedFile | undefined) =>
    canonicalJson(file === undefined ? null : { ...file, createdDirectory: undefined });
  return canonical(left) === canonical(right);
}

export function sameKeyPath(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((key, index) => key === right[index]);
}
