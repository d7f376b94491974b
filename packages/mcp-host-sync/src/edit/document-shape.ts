/**
 * How a host reads its file.
 *
 * - `json`: strict; `json-comments`: comments, no trailing commas; `jsonc`: both.
 * - `json5`: read in full, edited only while the text is also within `jsonc`.
 * - `yaml`: one YAML 1.2 document; `toml`: TOML 1.0.
 */
export type HostDialect = 'json' | 'json-comments' | 'jsonc' | 'json5' | 'yaml' | 'toml';

/** Where in a host's file the servers stand, and how they are kept there. */
export interface DocumentShape {
  readonly dialect: HostDialect;
  /** `['mcpServers']`, `['mcp', 'servers']`, `['projects', '/srv/app', 'mcpServers']`; one step is one key, dots and all. */
  readonly keyPath: readonly string[];
  /** `map`: the name is the key. `sequence-by-name`: a list whose items carry their name in `nameField`. */
  readonly collection: 'map' | 'sequence-by-name';
  /** Default `name`. Only for `sequence-by-name`. */
  readonly nameField?: string;
}

/** What an entry of a host's file can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

export type EntryFields = { readonly [field: string]: JsonValue };

export type EntryEdit =
  /** Does nothing when an equal entry is there. */
  | { readonly type: 'add'; readonly name: string; readonly entry: EntryFields }
  /** Field by field, so that what the host wrote beside them keeps its bytes. An object is set field by field, too. */
  | {
      readonly type: 'update';
      readonly name: string;
      readonly set: readonly { readonly path: readonly string[]; readonly value: JsonValue }[];
      readonly unset: readonly (readonly string[])[];
    }
  /** Does nothing when there is no such entry. */
  | { readonly type: 'remove'; readonly name: string };

/** What stood where the first entry was put. Given back to the removal, it makes the text what it was, byte for byte. */
export interface ContainerOrigin {
  /** How many steps of `keyPath` were created, from the last one up; one more when the document itself was empty. */
  readonly levels: number;
  /** What stood there instead: `{ }`, `null`, white space. Missing when nothing was replaced. */
  readonly replaced?: string;
}

export interface EditResult {
  readonly text: string;
  /** The map or list of servers did not exist and was created. */
  readonly createdContainer: boolean;
  /** Set when an entry was put where none stood before. Small and plain, to be kept until the entry is removed. */
  readonly origin?: ContainerOrigin;
}

export interface EditOptions {
  /**
   * What a removal does to a map or list that it leaves empty. `true` also takes away the keys above it that are left
   * empty; an origin takes away exactly what the add had created. Default `false`: an empty one stays.
   */
  readonly removeEmptyContainer?: boolean | ContainerOrigin;
}
