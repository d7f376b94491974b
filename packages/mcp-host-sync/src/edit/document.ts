import { isRecord } from '@x/internal/json';
import { TextPositions } from '@x/internal/syntax';
import { HostFileError, type HostFileErrorCode } from '../host-error.js';

/**
 * Syntax of a host's file.
 *
 * - `json`: strict; `json-comments`: with comments; `jsonc`: with comments and trailing commas.
 * - `json5`: read in full; edited only while it is also valid `jsonc`.
 * - `yaml`: one YAML 1.2 document; `toml`: TOML 1.0.
 */
export type HostDialect = 'json' | 'json-comments' | 'jsonc' | 'json5' | 'yaml' | 'toml';

/** Location and form of the servers in a host's file. */
export interface DocumentShape {
  readonly dialect: HostDialect;
  /** Such as `['mcp', 'servers']`. Each item is one key; dots do not split. */
  readonly keyPath: readonly string[];
  /** `map`: the key is the name. `sequence-by-name`: a list whose items have the name in `nameField`. */
  readonly collection: 'map' | 'sequence-by-name';
  /** For `sequence-by-name` only. Default `name`. */
  readonly nameField?: string;
}

export function nameFieldOf(shape: DocumentShape): string {
  return shape.nameField ?? 'name';
}

/** A value of an entry in a host's file. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Fields of an entry by key. */
export type EntryFields = { readonly [field: string]: JsonValue };

/** Edit of one entry. */
export type EntryEdit =
  /** No change if an equal entry exists. */
  | { readonly type: 'add'; readonly name: string; readonly entry: EntryFields }
  /** Changes single fields; other fields keep their bytes. Merges objects field by field. */
  | {
      readonly type: 'update';
      readonly name: string;
      readonly set: readonly { readonly path: readonly string[]; readonly value: JsonValue }[];
      readonly unset: readonly (readonly string[])[];
    }
  /** No change if the entry does not exist. */
  | { readonly type: 'remove'; readonly name: string };

/** Text that the first entry replaced. The removal of the last entry restores it byte for byte. */
export interface ContainerOrigin {
  /** Keys of `keyPath` that were created, from the last one up; one more if the document was empty. */
  readonly levels: number;
  /** Replaced text, such as `null`. Missing if nothing was replaced. */
  readonly replaced?: string;
}

/** Result of `editEntries`. */
export interface EditResult {
  readonly text: string;
  /** True if the edit created the map or list of servers. */
  readonly createdContainer: boolean;
  /** Set for the first entry of a container. Keep it until the entry is removed. */
  readonly origin?: ContainerOrigin;
}

/** Options of `editEntries`. */
export interface EditOptions {
  /**
   * Treatment of a container that a removal leaves empty. `false` keeps it; `true` removes it and empty parent keys; an
   * origin removes the levels that the add created. Default `false`.
   */
  readonly removeEmptyContainer?: boolean | ContainerOrigin | undefined;
}

export function isObject(value: JsonValue | undefined): value is EntryFields {
  return isRecord(value);
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Wraps a value in maps: `{ a: { b: value } }` for the path `['a', 'b']`. */
export function nestedValue(path: readonly string[], value: JsonValue): JsonValue {
  // `fromEntries` defines properties, so `__proto__` becomes an ordinary key.
  return path.reduceRight<JsonValue>((inner, key) => Object.fromEntries([[key, inner]]), value);
}

/** Fault at an offset of a text. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
  readonly code: HostFileErrorCode;
  readonly offset: number | undefined;

  constructor(code: HostFileErrorCode, message: string, offset?: number, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.offset = offset;
  }
}

export const unreadable = (message: string, offset: number, options?: ErrorOptions): DocumentFault =>
  new DocumentFault('unreadable-document', message, offset, options);

export const unsupported = (message: string, offset?: number, options?: ErrorOptions): DocumentFault =>
  new DocumentFault('unsupported-shape', message, offset, options);

/** Converts a `DocumentFault` to a `HostFileError` with line, column and manual snippet. */
export function withPositions<T>(text: string, manualSnippet: () => string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error;
    const position =
      error.offset === undefined ? undefined : new TextPositions(text).at(Math.min(error.offset, text.length));
    throw new HostFileError(error.code, error.message, {
      ...position,
      manualSnippet: manualSnippet(),
      cause: error.cause,
    });
  }
}
