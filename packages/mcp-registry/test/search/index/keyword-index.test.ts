import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeywordIndex } from '../../../src/search/index/keyword-index.js';
import type { SearchDocument } from '../../../src/search/index/search-document.js';

function document({ tool, ...rest }: Partial<SearchDocument> & { readonly tool: string }): SearchDocument {
  return {
    name: tool,
    tool,
    server: 's',
    title: '',
    description: '',
    keywords: [],
    parameters: [],
    parameterDescriptions: [],
    ...rest,
  };
}

function indexOf(documents: Iterable<SearchDocument>): KeywordIndex {
  const index = new KeywordIndex();
  for (const each of documents) index.add(each);
  return index;
}

const SHOP = [
  document({ tool: 'other', description: 'Makes no backup' }),
  document({ tool: 'create_item', description: 'Item for item' }),
  document({ tool: 'list_backup_job_state' }),
  document({ tool: 'delete_item', description: 'Item for item' }),
  document({ tool: 'zebra' }),
  document({ tool: 'schedule', parameters: ['cron'] }),
  document({ tool: 'backup' }),
  document({ tool: 'list_backup' }),
];

describe('ranking', () => {
  test.each([
    ['the name counts more than the description', 'backup', ['backup', 'other']],
    [
      'a name that is said whole counts more than a part of one',
      'list backup',
      ['list_backup', 'list_backup_job_state'],
    ],
    ['another action than the one asked for counts less', 'delete item', ['delete_item', 'create_item']],
    ['a rare word counts more than a frequent one', 'item zebra', ['zebra', 'create_item']],
    ['a parameter counts too', 'cron', ['schedule']],
    ['a word is found by its beginning', 'zeb', ['zebra']],
    ['a word is found in spite of a typing mistake', 'bakcup', ['backup', 'list_backup']],
    ['a word is found by another form of it', 'scheduling', ['schedule']],
    ['a word is found by what means the same', 'remove item', ['delete_item', 'create_item']],
    ['words written as one are found', 'listbackup', ['list_backup']],
  ])('%s', (_, query, expected) => {
    const names = indexOf(SHOP)
      .rank(query, { limit: 10 })
      .ranked.map(({ name }) => name);
    expect(names.filter((name) => expected.includes(name))).toEqual(expected);
    expect(names[0]).toBe(expected[0]);
  });

  test.each([
    ['virtual machine', 'vm_start'],
    ['file system', 'filesystem_check'],
    ['filesystem', 'file_system_check'],
    ['GitHub', 'github_search'],
  ])('%s is found as %s', (query, tool) => {
    expect(indexOf([document({ tool })]).rank(query, { limit: 1 }).ranked).toHaveLength(1);
  });

  test('equal scores come in the order of their names', () => {
    const index = indexOf(['b', 'c', 'a'].map((name) => document({ tool: 'same', name })));
    expect(index.rank('same', { limit: 3 }).ranked.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });
});

describe('a word of the same subject', () => {
  const bank = [document({ tool: 'get_team_rate' }), document({ tool: 'get_weather' })];

  test('finds a tool without the word of the query', () => {
    expect(
      indexOf(bank)
        .rank('sport', { limit: 5 })
        .ranked.map(({ name }) => name),
    ).toEqual(['get_team_rate']);
  });

  test('counts less than the word itself', () => {
    const index = indexOf([...bank, document({ tool: 'get_sport_rate' })]);
    const [first, second] = index.rank('sport', { limit: 5 }).ranked;
    expect([first?.name, second?.name]).toEqual(['get_sport_rate', 'get_team_rate']);
    expect(second?.score).toBeLessThan((first?.score ?? 0) / 5);
  });
});

describe('an answer', () => {
  test('counts all matches and gives the best of them', () => {
    const { total, ranked } = indexOf(SHOP).rank('backup', { limit: 2 });
    expect(total).toBe(4);
    expect(ranked.map(({ name }) => name)).toEqual(['backup', 'list_backup']);
  });

  test('says which words were found where', () => {
    const index = indexOf([document({ tool: 'read_page', server: 'wiki', description: 'Reads one page. Of a wiki.' })]);
    const [best] = index.rank('show the wiki pages', { limit: 1 }).ranked;
    expect(best).toMatchObject({
      matched: [
        { field: 'name', terms: ['show', 'page'] },
        { field: 'server', terms: ['wiki'] },
        { field: 'lead', terms: ['show', 'page'] },
        { field: 'rest', terms: ['wiki'] },
      ],
    });
  });

  test('says which words no tool has', () => {
    expect(indexOf(SHOP).rank('the backup of unicorns', { limit: 1 }).unmatchedTerms).toEqual(['unicorn']);
  });

  test('leaves out what is not accepted, and counts and misses as if it were not there', () => {
    const accepts = (name: string) => name !== 'zebra';
    const answer = indexOf(SHOP).rank('zebra backup', { limit: 10, accepts });
    expect(answer).toMatchObject({ total: 4, unmatchedTerms: ['zebra'] });
    expect(answer.ranked.map(({ name }) => name)).not.toContain('zebra');
  });

  test('covers a whole query, a part of one, or nothing of it', () => {
    const index = indexOf(SHOP);
    const coverageFor = (query: string) => index.rank(query, { limit: 1 }).ranked[0]?.coverage ?? 0;
    expect(coverageFor('list backup')).toBe(1);
    expect(coverageFor('list backup of unicorns')).toBeGreaterThan(0.3);
    expect(coverageFor('list backup of unicorns')).toBeLessThan(0.8);
    expect(coverageFor('unicorns')).toBe(0);
  });

  test('with a verb in the name alone is weak, and says what is missing', () => {
    expect(indexOf(SHOP).rank('list unicorns', { limit: 1 })).toMatchObject({ isWeak: true, missing: ['unicorn'] });
  });

  test('is empty where there are no tools', () => {
    expect(new KeywordIndex().rank('anything', { limit: 5 })).toEqual({
      total: 0,
      ranked: [],
      unmatchedTerms: ['anything'],
      fit: 0,
      isWeak: false,
      missing: [],
    });
  });

  test('with a smaller limit is the beginning of the longer one', () => {
    const many = Array.from({ length: 300 }, (_, at) => document({ tool: `item_${at % 7}`, name: `tool-${at}` }));
    const index = indexOf(many);
    const all = index.rank('item 3', { limit: 300 }).ranked;
    expect(all).toHaveLength(300);
    for (const limit of [0, 1, 10, 99, 100, 101, 250]) {
      expect(index.rank('item 3', { limit }).ranked).toEqual(all.slice(0, limit));
    }
    expect(all.map(({ score }) => score)).toEqual(
      all.map(({ score }) => score).toSorted((left, right) => right - left),
    );
  });
});

const word = fc.constantFrom(
  ...'read file files list item items get the vm virtual machine git hub github github create creating creator delete'.split(
    ' ',
  ),
  ...'repo repository repositories serch search filesystem constructor __proto__ 文件系统 page pages wiki'.split(' '),
);
const phrase = fc.array(word, { maxLength: 5 }).map((words) => words.join(' '));
const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', '__proto__', 'constructor');
const anyDocument = fc.record({
  name,
  tool: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('_')),
  server: word,
  title: phrase,
  description: fc.array(phrase, { maxLength: 3 }).map((sentences) => sentences.join('. ')),
  keywords: fc.array(word, { maxLength: 2 }),
  parameters: fc.array(word, { maxLength: 3 }),
  parameterDescriptions: fc.array(phrase, { maxLength: 2 }),
});
const anyChange = fc.oneof(
  { weight: 3, arbitrary: anyDocument.map((add) => ({ add })) },
  { weight: 2, arbitrary: name.map((remove) => ({ remove })) },
);
const everything = { limit: 100 };

describe('laws', () => {
  test('an index that was kept up to date answers exactly as a fresh one', () => {
    fc.assert(
      fc.property(
        fc.array(anyChange, { maxLength: 40 }),
        fc.array(phrase, { minLength: 1, maxLength: 4 }),
        (changes, queries) => {
          const kept = new KeywordIndex();
          const documents = new Map<string, SearchDocument>();
          for (const change of changes) {
            if ('add' in change) {
              kept.add(change.add);
              documents.set(change.add.name, change.add);
            } else {
              kept.remove(change.remove);
              documents.delete(change.remove);
            }
          }
          const fresh = indexOf(documents.values());
          expect(kept.size).toBe(documents.size);
          for (const query of queries) expect(kept.rank(query, everything)).toEqual(fresh.rank(query, everything));
        },
      ),
      { numRuns: 200 },
    );
  });

  test('adding a tool changes nothing about whether another one is found', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(anyDocument, { selector: (each) => each.name }),
        anyDocument,
        phrase,
        (documents, another, query) => {
          const others = documents.filter((each) => each.name !== another.name);
          const index = indexOf(others);
          const found = () => new Set(index.rank(query, everything).ranked.map((each) => each.name));
          const before = found();
          index.add(another);
          const after = found();
          after.delete(another.name);
          expect(after).toEqual(before);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('removing what was added brings the answer back', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(anyDocument, { selector: (each) => each.name }),
        anyDocument,
        phrase,
        (documents, another, query) => {
          const index = indexOf(documents.filter((each) => each.name !== another.name));
          const before = index.rank(query, everything);
          index.add(another);
          index.remove(another.name);
          expect(index.rank(query, everything)).toEqual(before);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('scores are positive and fall, coverages are shares', () => {
    fc.assert(
      fc.property(fc.array(anyDocument), phrase, (documents, query) => {
        const { ranked, total } = indexOf(documents).rank(query, everything);
        expect(ranked).toHaveLength(total);
        const scores = ranked.map(({ score }) => score);
        expect(scores.every((score) => score > 0)).toBe(true);
        expect(scores).toEqual(scores.toSorted((left, right) => right - left));
        expect(ranked.every(({ coverage }) => coverage >= 0 && coverage <= 1)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test('any text is a query, and any texts are a tool', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, text, text, (tool, description, query) => {
        const index = indexOf([document({ tool, description })]);
        expect(index.rank(query, everything).total).toBeLessThanOrEqual(1);
        index.remove(tool);
        expect(index.size).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});

describe('hostile input', () => {
  const index = indexOf([
    ...SHOP,
    ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((tool) => document({ tool })),
  ]);

  test.each([
    ['a million letters', 'a'.repeat(1_000_000)],
    ['a million different words', Array.from({ length: 150_000 }, (_, at) => `w${at}`).join(' ')],
    ['a nested quantifier', `${'(a+)+$'.repeat(10)}${'a'.repeat(100_000)}!`],
    ['quotes that never close', `"'\`<`.repeat(100_000)],
    ['slashes', '/a'.repeat(500_000)],
    ['punctuation', '!?.,;:-_()[]{}'.repeat(1_000)],
    ['emoji', '💥🔥👩‍👩‍👧‍👦'.repeat(1_000)],
    ['NUL', '\0'.repeat(1_000)],
    ['half a character', '\ud800'],
    ['nothing', ''],
    ['spaces', ' \n\t'],
    ['letters that grow when they are normalized', '\ufdfa'.repeat(100_000)],
  ])('%s is answered', (_, query) => {
    const { total, ranked } = index.rank(query, { limit: 10 });
    expect(ranked.length).toBeLessThanOrEqual(total);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('a tool named %s is found', (tool) => {
    expect(index.rank(tool, { limit: 1 }).ranked[0]?.name).toBe(tool);
  });

  test('removing a tool twice or an unknown tool has no effect', () => {
    const small = indexOf([document({ tool: 'a' })]);
    small.remove('b');
    small.remove('a');
    small.remove('a');
    expect(small.size).toBe(0);
    expect(small.rank('a', { limit: 1 }).total).toBe(0);
  });

  test('a tool without words is kept and not found', () => {
    const silent = indexOf([document({ tool: '💥', server: '' })]);
    expect(silent.size).toBe(1);
    expect(silent.rank('anything', { limit: 1 }).total).toBe(0);
    silent.remove('💥');
    expect(silent.size).toBe(0);
  });
});
