/**
 * Words that comments, messages and guides do without, each with the reason and what to write instead. `share` is the part
 * of all comments, in percent, that may match; without one, none may. Guides are held to those without a share.
 */
export const words = [
  {
    name: 'opening',
    pattern: /^(What|Whoever|Whether|How|Where|When|Who|Those|That)\b/,
    share: 4,
    instead: 'Begin with the noun or the verb: "Passes results through", "Status of every server".',
  },
  {
    name: 'tell',
    pattern: /\b(tell|tells|told|telling)\b/i,
    instead: 'Code notifies, reports, sends, receives; "tell apart" is "distinguish".',
  },
  {
    name: 'nobody',
    pattern: /\b(nobody|somebody|anybody)\b/i,
    instead: 'Name the actor: the caller, the client, the user, another process.',
  },
  {
    name: 'whoever',
    pattern: /\b(who|what|which)ever\b/i,
    instead: 'Name the actor or the thing: "callers that", "any value".',
  },
  {
    name: 'catalogue',
    pattern: /catalogue/i,
    instead: 'The glossary says catalog.',
  },
  {
    name: 'is to be',
    pattern: /\b(is|are|was|were) to (be |have |go |run |come |stop )/i,
    share: 0.2,
    instead: 'Use the present tense or "must": "the server must stop", "the server stops".',
  },
  {
    name: 'rest',
    pattern: /\b(at rest|rests|resting)\b/i,
    share: 0.1,
    instead: 'Say idle, stopped or unchanged.',
  },
];

/** Words of comments for each 1,000 lines of source, at most. */
export const wordsPerThousandLines = 900;

/** Files that list words: their strings and prose are not checked. */
export const wordData = [
  'docs/glossary.md',
  'packages/mcp-registry/src/search/words/stop-words.ts',
  'packages/mcp-registry/src/search/words/synonyms.ts',
  'packages/mcp-registry/src/search/words/task-verbs.ts',
];

/** Pages that are not rewritten yet. The list only becomes shorter. */
export const notYet = [];

/** Packages whose comments are still longer than `wordsPerThousandLines`. The list only becomes shorter. */
export const notYetShort = [];
