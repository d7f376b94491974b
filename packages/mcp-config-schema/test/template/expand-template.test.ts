// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expandTemplate } from '../../src/index.js';

const variables = { HOME: '/home/ada', EMPTY: '', TRICK: '${HOME}', UNSET: undefined };
const expand = (text: string) => expandTemplate(text, variables);

describe('expandTemplate', () => {
  test.each([
    ['${HOME}/bin', '/home/ada/bin'],
    ['${env:HOME}', '/home/ada'],
    ['${HOME}${HOME}', '/home/ada/home/ada'],
    ['${HOME:-/root}', '/home/ada'],
    ['${NOBODY:-/root}', '/root'],
    ['${EMPTY:-/root}', '/root'],
    ['${NOBODY:-}', ''],
    ['${NOBODY:-a:-b\nc}', 'a:-b\nc'],
    ['[${EMPTY}]', '[]'],
    ['$${HOME}', '${HOME}'],
    ['$$${HOME}', '$${HOME}'],
    ['$HOME $ $$ } {', '$HOME $ $$ } {'],
    ['${TRICK}', '${HOME}'],
  ])('%j becomes %j', (text, expanded) => {
    expect(expand(text)).toEqual({ text: expanded, faults: [] });
  });

  test('a variable that is not set is a fault with its place, and the text stays', () => {
    expect(expand('a ${NOBODY} ${env:UNSET}')).toEqual({
      text: 'a ${NOBODY} ${env:UNSET}',
      faults: [
        { code: 'unset-variable', variable: 'NOBODY', expression: '${NOBODY}', offset: 2 },
        { code: 'unset-variable', variable: 'UNSET', expression: '${env:UNSET}', offset: 12 },
      ],
    });
  });

  test.each(['${}', '${1A}', '${A B}', '${input:token}', '${env:}', '${A-b}', '${A', '${${HOME}}'])(
    '%s is malformed and stays as it is',
    (text) => {
      const expanded = expand(text);
      expect(expanded.faults[0]).toMatchObject({ code: 'malformed', offset: 0 });
      expect(expanded.text).toBe(text);
    },
  );

  test('only own variables count', () => {
    expect(expand('${toString}${__proto__}').faults.map((fault) => fault.code)).toEqual([
      'unset-variable',
      'unset-variable',
    ]);
  });
});

describe('laws of expandTemplate', () => {
  const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,5}$/);
  const values = fc.dictionary(name, fc.string());

  test('a text without "${" stays as it is', () => {
    fc.assert(
      fc.property(fc.string(), values, (text, given) => {
        fc.pre(!text.includes('${'));
        expect(expandTemplate(text, given)).toEqual({ text, faults: [] });
      }),
    );
  });

  test('escaping a text brings it back, whatever it holds', () => {
    const anyText = fc.array(fc.constantFrom('$', '{', '}', 'A', ':-', 'env:', ' ')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(anyText, values, (text, given) => {
        expect(expandTemplate(text.replaceAll('${', '$$${'), given)).toEqual({ text, faults: [] });
      }),
    );
  });

  test('a value is put in as it is, even if it looks like a template', () => {
    fc.assert(
      fc.property(name, fc.string(), fc.constantFrom('', '${A}', '$', '$${'), (variable, start, end) => {
        const value = start + end;
        expect(expandTemplate(`<\${${variable}}>`, { [variable]: value }).text).toBe(`<${value}>`);
      }),
    );
  });

  test('every fault stands where it says', () => {
    const anyText = fc.array(fc.constantFrom('${', '}', 'A', 'env:', ':-', ' ', '$')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { expression, offset } of expandTemplate(text, {}).faults) {
          expect(text.slice(offset, offset + expression.length)).toBe(expression);
        }
      }),
    );
  });
});
