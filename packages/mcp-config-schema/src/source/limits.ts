/** Bounds on one text. Beyond them a text is refused instead of read, so that no input can take memory or time at will. */
export const limits = {
  /** UTF-8 bytes of one text. */
  textBytes: 5_000_000,
  /** Pieces that a YAML text falls into (names, colons, line ends, …); a text of nothing else would take gigabytes. */
  yamlParts: 2_000_000,
  /** The same for TOML, whose parser takes more memory for each. */
  tomlParts: 500_000,
  /** Characters of one value or key of TOML; the parser cannot read much longer ones. */
  tomlTokenLength: 65_536,
  /** Values that YAML aliases may stand for in one text, all together. */
  aliasedValues: 500_000,
  /** Mappings and lists inside one another. */
  depth: 100,
  /** Servers of all texts together, and tools of one text. */
  servers: 10_000,
  /** Values of one entry. */
  entryValues: 20_000,
  /** Errors of one text that are listed, and as many warnings. */
  issues: 1_000,
} as const;
