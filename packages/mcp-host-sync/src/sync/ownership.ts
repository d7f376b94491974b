import { canonicalJson } from '@x/internal/json';
import type { ContainerOrigin } from '../edit/document.js';

/** Record of the entries written to hosts' files, with hashes to detect edits. */
export interface Ownership {
  readonly files: readonly OwnedFile[];
}

/** A host's file with entries that a sync has written. */
export interface OwnedFile {
  readonly path: string;
  /** The sync created the file. */
  readonly createdFile?: true | undefined;
  /** Topmost directory that was created for the file. */
  readonly createdDirectory?: string | undefined;
  readonly containers: readonly OwnedContainer[];
}

/** A map or list of servers in a file. */
export interface OwnedContainer {
  readonly keyPath: readonly string[];
  /** Text that the first entry replaced. Removing the last entry restores it. */
  readonly origin?: ContainerOrigin | undefined;
  readonly entries: readonly OwnedEntry[];
}

/** An entry that a sync has written. */
export interface OwnedEntry {
  readonly name: string;
  readonly host: string;
  /** A sync removes only entries of its owner. */
  readonly owner: string;
  /** Hash without the fields of the host. Missing during the first write. */
  readonly hash?: string | undefined;
  /** Enabled state in the entry as written. */
  readonly enabled?: boolean | undefined;
  /** The entry contains values of variables. */
  readonly hasSecrets?: true | undefined;
  /** The lists of tools in the entry are ours. */
  readonly hasToolLists?: true | undefined;
  /**
   * A write that has begun; after a kill it may be in the file. `hash` is that of the new entry, `null` for a removal.
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

export function withFile(ownership: Ownership, path: string, file: OwnedFile | undefined): Ownership {
  const others = ownership.files.filter((known) => known.path !== path);
  return { files: file === undefined ? others : [...others, file] };
}

/** Ignores directories and the order of fields. */
export function sameRecord(left: OwnedFile | undefined, right: OwnedFile | undefined): boolean {
  const canonical = (file: OwnedFile | undefined) =>
    canonicalJson(file === undefined ? null : { ...file, createdDirectory: undefined });
  return canonical(left) === canonical(right);
}

export function sameKeyPath(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((key, index) => key === right[index]);
}
