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

/** A value of an entry in a host's file. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

export type EntryFields = { readonly [field: string]: JsonValue };

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

export interface EditResult {
  readonly text: string;
  /** True if the edit created the map or list of servers. */
  readonly createdContainer: boolean;
  /** Set for the first entry of a container. Keep it until the entry is removed. */
  readonly origin?: ContainerOrigin;
}

export interface EditOptions {
  /**
   * Treatment of a container that a removal leaves empty. `false` keeps it; `true` removes it and empty parent keys; an
   * origin removes the levels that the add created. Default `false`.
   */
  readonly removeEmptyContainer?: boolean | ContainerOrigin;
}
