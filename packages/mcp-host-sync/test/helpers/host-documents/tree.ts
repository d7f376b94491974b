import fc from 'fast-check';
import type { EntryFields, JsonValue } from '../../../src/edit/document.js';

/** Content of a generated document; the writer of its dialect chooses the layout. */
export type Tree =
  | { readonly kind: 'raw'; readonly text: string }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'list'; readonly items: readonly Tree[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [key: string, value: Tree])[] };

export interface MadeUpDocument {
  readonly tree: Tree & { readonly kind: 'map' };
  /** Names of the entries in the container. */
  readonly names: readonly string[];
}

const awkwardTexts = [
  '',
  'yes',
  '1.0',
  '0x1F',
  '- x',
  'a: b',
  'a #b',
  '# not a comment',
  '// neither',
  '/* nor this */',
  '{}',
  '[x]',
  '&a',
  '*a',
  '<<',
  '~',
  'null',
  'true',
  ' padded ',
  'tab\there',
  'two\nlines',
  'two\r\nlines\n',
  '"quoted"',
  "it's",
  'back\\slash',
  '"""',
  "'''",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: host files contain such texts
  '${VAR:-x}',
  'Bearer x, y',
  'ünïcödé 🙂',
  '\u0001\u007f\u0085',
  '\u2028',
  '\ufeffmark',
  '__proto__',
  'constructor',
  '2020-01-01',
  '12:30:45',
  '---',
  '=',
];

const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/),
  fc.constantFrom(...awkwardTexts),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);

export const anyName: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'a.b',
      'with space',
      '__proto__',
      'constructor',
      'ü',
      'quo"te',
      "it's",
      '1',
      'true',
      'y',
      '#x',
      '- x',
      'a: b',
      '[t]',
      '',
    ),
  },
);

function anyTree(numbers: readonly string[]): fc.Arbitrary<Tree> {
  const { tree } = fc.letrec<{ tree: Tree; leaf: Tree; list: Tree; map: Tree }>((tie) => ({
    leaf: fc.oneof(
      anyText.map((value): Tree => ({ kind: 'text', value })),
      fc.constantFrom(...numbers, 'true', 'false').map((text): Tree => ({ kind: 'raw', text })),
    ),
    list: fc.array(tie('tree'), { maxLength: 3, size: 'max' }).map((items): Tree => ({ kind: 'list', items })),
    map: mapOf(anyName, tie('tree'), 3),
    tree: fc.oneof({ maxDepth: 2, depthSize: 'small' }, { arbitrary: tie('leaf'), weight: 3 }, tie('list'), tie('map')),
  }));
  return tree;
}

function mapOf(
  key: fc.Arbitrary<string>,
  value: fc.Arbitrary<Tree>,
  maxLength: number,
): fc.Arbitrary<Tree & { kind: 'map' }> {
  return fc
    .uniqueArray(fc.tuple(key, value), { maxLength, size: 'max', selector: ([name]) => name })
    .map((entries) => ({ kind: 'map', entries }));
}

const envTree = mapOf(
  anyName,
  anyText.map((value): Tree => ({ kind: 'text', value })),
  3,
);

/** A typical entry: known fields and a few fields of the host. */
function anyEntryTree(numbers: readonly string[]): fc.Arbitrary<Tree & { kind: 'map' }> {
  const text = anyText.map((value): Tree => ({ kind: 'text', value }));
  const args = fc.array(text, { maxLength: 3, size: 'max' }).map((items): Tree => ({ kind: 'list', items }));
  const field = fc.oneof(
    fc.tuple(fc.constantFrom('command', 'url', 'cwd'), text),
    fc.tuple(fc.constantFrom('args'), args),
    fc.tuple(fc.constantFrom('env', 'headers'), envTree),
    fc.tuple(anyName, anyTree(numbers)),
  );
  return fc
    .uniqueArray(field, { maxLength: 4, size: 'max', selector: ([name]) => name })
    .map((entries): Tree & { kind: 'map' } => ({ kind: 'map', entries }));
}

export interface DocumentOptions {
  readonly keyPath: readonly string[];
  /** Numbers in spellings of the dialect. */
  readonly numbers: readonly string[];
  /** Spelling of an empty value; none if the dialect has none. */
  readonly blanks: readonly Tree[];
  readonly collection: 'map' | 'sequence-by-name';
}

/** A document with a full, empty or missing container, at a key path that may be partly missing. */
export function anyDocument({ keyPath, numbers, blanks, collection }: DocumentOptions): fc.Arbitrary<MadeUpDocument> {
  const entries = fc.uniqueArray(fc.tuple(anyName, anyEntryTree(numbers)), {
    size: 'max',
    maxLength: 3,
    selector: ([name]) => name,
  });
  const others = fc.array(fc.tuple(anyName, anyTree(numbers)), { maxLength: 2, size: 'max' });
  const depth = fc.oneof(
    { weight: 4, arbitrary: fc.constant(keyPath.length) },
    fc.integer({ min: 0, max: keyPath.length }),
  );
  return fc
    .tuple(
      entries,
      depth,
      fc.array(fc.tuple(others, others), { minLength: keyPath.length, maxLength: keyPath.length }),
      fc.option(fc.constantFrom(...blanks, undefined)),
    )
    .map(([servers, missing, surroundings, blank]) => {
      const isFull = missing === keyPath.length && servers.length > 0;
      let value: Tree | undefined;
      if (isFull) value = collection === 'map' ? { kind: 'map', entries: servers } : listOf(servers);
      else value = blank ?? undefined;
      for (let level = isFull ? keyPath.length : missing; level > 0; level -= 1) {
        const key = keyPath[level - 1] ?? '';
        const [before = [], after = []] = surroundings[level - 1] ?? [];
        const own = value === undefined ? [] : [[key, value] as const];
        const around = [...before, ...own, ...after].filter(
          ([name], index, all) =>
            (name !== key || all[index] === own[0]) && all.findIndex(([first]) => first === name) === index,
        );
        value = { kind: 'map', entries: around };
      }
      const tree = value?.kind === 'map' ? value : { kind: 'map' as const, entries: [] };
      return { tree, names: isFull ? servers.map(([name]) => name) : [] };
    });
}

function listOf(servers: readonly (readonly [string, Tree & { kind: 'map' }])[]): Tree {
  const items = servers.map(([name, { entries }]): Tree => {
    const own = entries.filter(([key]) => key !== 'name');
    return { kind: 'map', entries: [['name', { kind: 'text', value: name }], ...own] };
  });
  return { kind: 'list', items };
}

/** Fields as this package writes them. */
export function anyEntry({ nulls }: { nulls: boolean }): fc.Arbitrary<EntryFields> {
  const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
    anyText,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
    fc.boolean(),
    ...(nulls ? [fc.constant(null)] : []),
  );
  const texts = fc.dictionary(anyName, anyText, { maxKeys: 3, noNullPrototype: true });
  const field: fc.Arbitrary<[string, JsonValue]> = fc.oneof(
    fc.tuple(fc.constantFrom('command', 'url'), anyText),
    fc.tuple(fc.constant('args'), fc.array(anyText, { maxLength: 3, size: 'max' })),
    fc.tuple(fc.constantFrom('env', 'headers'), texts),
    fc.tuple(fc.constant('requestOptions'), fc.dictionary(anyName, texts, { maxKeys: 2, noNullPrototype: true })),
    fc.tuple(anyName, scalar),
    fc.tuple(
      fc.constant('list'),
      fc.array(fc.oneof(scalar, texts, fc.array(scalar, { maxLength: 2, size: 'max' })), { maxLength: 3, size: 'max' }),
    ),
  );
  return fc
    .uniqueArray(field, { maxLength: 5, size: 'max', selector: ([name]) => name })
    .map((fields) => Object.fromEntries(fields) as EntryFields);
}
