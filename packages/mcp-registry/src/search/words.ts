import { stem } from './tokenize.js';

/** Words that say nothing about which tool is meant. In a query they count a little, because names contain them. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about all also am an and any are as at be been being but by can could did do does each for from had has have ' +
    'he her here him his how i if in into is it its just let like may me might more most must my need no not of on ' +
    'one or other our out over please s she should so some such t tell than that the their them then there these they ' +
    'this those through to too tool under us use used using via want was we were what when where which while who why ' +
    'will with within without would you your'
  )
    .split(' ')
    .map(stem),
);

/** Verbs that tools are named with, by what they do to the thing. */
const ACTIONS = {
  look: 'get read fetch retrieve show view display describe list enumerate browse search find query lookup check',
  create: 'create add new make insert generate register',
  update: 'update edit modify change set patch rename replace configure',
  delete: 'delete remove drop erase clear destroy uninstall',
} as const;

export type Action = keyof typeof ACTIONS;

const ACTION_OF: ReadonlyMap<string, Action> = new Map(
  Object.entries(ACTIONS).flatMap(([action, words]) =>
    // Object.entries forgets the keys' type.
    words.split(' ').map((word) => [stem(word), action as Action] as const),
  ),
);

/** The first action that the words name. */
export function actionOf(words: readonly string[]): Action | undefined {
  for (const word of words) {
    const action = ACTION_OF.get(word);
    if (action !== undefined) return action;
  }
  return undefined;
}

/** Words that people and tool authors use for one thing. Kept small and general: each line costs some precision. */
const SYNONYMS = [
  'get read fetch retrieve show view display describe',
  'list enumerate browse show all',
  'search find query lookup discover',
  'create add new make insert',
  'update edit modify change set patch',
  'delete remove drop erase clear',
  'send post publish share',
  'run execute start launch invoke trigger',
  'stop cancel abort terminate kill',
  'generate create make',
  'check verify validate test',
  'convert transform translate',
  'download fetch save',
  'upload attach import',
  'directory folder',
  'repository repo',
  'database db',
  'image picture photo',
  'video clip movie film',
  'document doc file',
  'email mail message',
  'config configuration setting option',
  'website site webpage page url',
  'information info detail',
  'location place address',
  'price cost quote rate',
  'buy purchase order',
  'calendar schedule event meeting',
  'error failure exception issue',
  'authentication auth login',
  'kubernetes k8s',
  'pr pull request',
];

const SYNONYMS_OF: ReadonlyMap<string, ReadonlySet<string>> = collectSynonyms();

export function synonymsOf(word: string): Iterable<string> {
  return SYNONYMS_OF.get(word) ?? [];
}

function collectSynonyms(): Map<string, Set<string>> {
  const synonyms = new Map<string, Set<string>>();
  for (const line of SYNONYMS) {
    const words = line.split(' ').map(stem);
    for (const word of words) {
      const known = synonyms.get(word) ?? new Set();
      for (const other of words) if (other !== word) known.add(other);
      synonyms.set(word, known);
    }
  }
  return synonyms;
}
