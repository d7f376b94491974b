// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatText, parseText } from '../../src/hosts/variables/text-parts.js';
import { expandTemplate, keepVariables } from '../../src/index.js';

const places = { root: '/srv/app', 'runtime.python': '/srv/${venv}/python' };
const keep = (text: string) => keepVariables(text, places);

describe('keepVariables', () => {
  test.each([
    ['${NAME} ${env:NAME} {{env.NAME}}', '${NAME} ${NAME} ${NAME}'],
    ['${NAME:-a b}', '${NAME:-a b}'],
    ['{{root}}/x', '/srv/app/x'],
    ['$${NAME} {{{{root}}', '$${NAME} {{root}}'],
    ['{{runtime.python}}', '/srv/$${venv}/python'],
    ['plain {{.Names}} $x', 'plain {{.Names}} $x'],
  ])('%j becomes %j', (text, kept) => {
    expect(keep(text)).toEqual({ text: kept, faults: [] });
  });

  test('says what cannot be filled in, at its place', () => {
    expect(keep('a {{runtime.node}} {{rot}} ${A').faults).toMatchObject([
      { code: 'unset-place', offset: 2 },
      { code: 'unknown-template', offset: 19, didYouMean: 'root' },
      { code: 'malformed', offset: 27 },
    ]);
  });

  test('a reference behind a "$" that a place brings is refused, because it would read as an escape', () => {
    expect(keepVariables('{{root}}${A}', { root: '/srv/a$' }).faults).toMatchObject([{ code: 'malformed', offset: 8 }]);
  });

  test('what is kept and expanded later is the same as what is expanded at once', () => {
    const piece = fc.constantFrom('$', '{', '}', '{{', '${A}', '${B:-x}', '{{env.A}}', '{{root}}', '$${', '{{{{', 'A');
    const anyText = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''));
    const variables = { A: '${B}', B: '' };
    fc.assert(
      fc.property(anyText, fc.constantFrom('/srv', '${A}', '$', 'a{'), (text, root) => {
        const kept = keepVariables(text, { root });
        fc.pre(kept.faults.length === 0);
        const parts = parseText(kept.text);
        if ('malformed' in parts) throw new Error(`hosts cannot read ${kept.text}`);
        const expanded = parts.map((part) => {
          if (part.kind === 'literal') return part.text;
          return expandTemplate(formatText([part]) ?? '', variables).text;
        });
        expect(expanded.join('')).toBe(expandTemplate(text, variables, { root }).text);
      }),
      { numRuns: 2_000 },
    );
  });
});
