import { RELATED_WORDS } from './related-words.js';
import { stem } from './tokenize.js';
import { familyOf } from './word-family.js';

/** General ones only, because each line costs precision. */
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
  'weather forecast temperature climate',
  'news article headline',
  'paper research study academic scholar literature',
  'stock share ticker equity',
  'currency exchange forex',
  'recipe cook meal dish ingredient',
  'restaurant food dining eat',
  'hotel accommodation lodging stay',
  'flight airline airport plane',
  'travel trip vacation tour itinerary holiday',
  'route direction navigation map',
  'house home apartment property rent',
  'job career position hiring',
  'company business firm organization enterprise',
  'product item goods',
  'shop store shopping',
  'music song track audio playlist',
  'voice speech audio',
  'game play gaming',
  'exercise workout fitness training',
  'health medical doctor clinical medicine',
  'law legal',
  'learn course education lesson teach tutorial',
  'test quiz exam',
  'chart graph diagram plot visualize',
  'calculate compute math formula',
  'summary summarize digest overview abstract',
  'write compose draft author',
  'rewrite rephrase paraphrase polish',
  'code program script programming',
  'bug error issue crash',
  'server host machine instance vm',
  'container docker pod',
  'deploy release rollout',
  'chat message conversation dm',
  'comment reply note',
  'task todo ticket issue',
  'reminder alarm',
  'contact lead client customer',
  'ad advertisement campaign marketing promotion',
  'log trace history',
  'metric statistic analytics',
  'monitor watch track',
  'key secret token credential password',
  'spreadsheet excel sheet workbook xlsx',
  'slide presentation powerpoint ppt',
  'table row record',
  'car vehicle auto',
  'review rating feedback',
  'recommend suggest recommendation suggestion',
  'compare comparison difference versus',
  'screenshot capture snapshot',
  'browser web internet online',
  'time date clock timezone',
  'definition meaning dictionary word',
  'memory knowledge remember',
  'payment transaction',
  'crypto cryptocurrency bitcoin coin',
];

const BY_WORD = collectSynonyms();
const BY_FAMILY: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Array.from(BY_WORD, ([word, synonyms]) => [familyOf(word), synonyms]),
);

/** Also covers other forms: `purchasing` counts as `purchase`. */
export function synonymsOf(word: string): Iterable<string> {
  return BY_WORD.get(word) ?? BY_FAMILY.get(familyOf(word)) ?? [];
}

const RELATED: ReadonlyMap<string, readonly string[]> = new Map(
  RELATED_WORDS.split('\n').map((line) => {
    const [word = '', ...related] = line.split(' ');
    return [word, related];
  }),
);

/** Words of the same subjects, learned from texts of tools. */
export function relatedTo(word: string): readonly string[] {
  return RELATED.get(word) ?? [];
}

function collectSynonyms(): ReadonlyMap<string, ReadonlySet<string>> {
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
