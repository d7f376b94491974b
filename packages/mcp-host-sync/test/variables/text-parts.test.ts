import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatText, PartList, parseText, type TextParts } from '../../src/variables/text-parts.js';

const text = (content: string) => ({ kind: 'literal', text: content });
const variable = (name: string, fallback?: string) => ({
  kind: 'variable',
  name,
  ...(fallback === undefined ? {} : { fallback }),
});

test.each([
  ['', []],
  ['plain $HOME {x} $', [text('plain $HOME {x} $')]],
  [`\${A}`, [variable('A')]],
  [`\${env:A}`, [variable('A')]],
  [`\${A:-}`, [variable('A', '')]],
  [`\${A:-b c}d`, [variable('A', 'b c'), text('d')]],
  [`a$\${B}c`, [text(`a\${B}c`)]],
  [`$$\${A}`, [text(`$\${A}`)]],
  [`\${A}\${B}`, [variable('A'), variable('B')]],
])('parses %j', (written, parts) => {
  expect(parseText(written)).toEqual(parts);
});

test.each([`\${}`, `\${a b}`, `\${A:?x}`, `\${workspaceFolder:x}`, '${A', `x \${\${A}}`, `\${env:A:-x}`])(
  'rejects %j',
  (written) => {
    expect(parseText(written)).toHaveProperty('malformed');
  },
);

test('a "$" directly before a variable cannot be formatted', () => {
  expect(
    formatText([
      { kind: 'literal', text: '$' },
      { kind: 'variable', name: 'A' },
    ]),
  ).toBeUndefined();
});

const anyPart = fc.oneof(
  fc.record({
    kind: fc.constant('literal' as const),
    text: fc.string({ unit: fc.constantFrom(...`ab$\${}:-`), minLength: 1 }),
  }),
  fc.record({ kind: fc.constant('variable' as const), name: fc.stringMatching(/^[A-Z_]{1,3}$/) }),
  fc.record({
    kind: fc.constant('variable' as const),
    name: fc.stringMatching(/^[A-Z_]{1,3}$/),
    fallback: fc.string({ unit: fc.constantFrom(...'ab$ :-') }),
  }),
);

test('parsing a formatted text restores its parts', () => {
  fc.assert(
    fc.property(fc.array(anyPart, { maxLength: 6 }), (list) => {
      const parts = joined(list);
      const written = formatText(parts);
      if (written !== undefined) expect(parseText(written)).toEqual(parts);
    }),
  );
});

test('any text is parsed or reported', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...`aA$\${}:-`) }), (written) => {
      const parts = parseText(written);
      expect('malformed' in parts || Array.isArray(parts)).toBe(true);
    }),
  );
});

function joined(parts: TextParts): TextParts {
  const list = new PartList();
  for (const part of parts) {
    if (part.kind === 'literal') list.addLiteral(part.text);
    else list.addVariable({ name: part.name, ...(part.fallback === undefined ? {} : { fallback: part.fallback }) });
  }
  return list.list;
}
