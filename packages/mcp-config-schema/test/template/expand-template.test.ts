// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tests use such strings
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeTemplate, expandTemplate, keepVariables, parseTemplate } from '../../src/templates.js';

const variables = { HOME: '/home/ada', EMPTY: '', TRICK: '${HOME}{{root}}', UNSET: undefined };
const places = { root: '/srv/{{root}}', 'runtime.python': '/venv/bin/python', 'runtime.node': undefined };
const expand = (text: string) => expandTemplate(text, variables, places);

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
    ['${TRICK}', '${HOME}{{root}}'],
    ['{{env.HOME}}/bin', '/home/ada/bin'],
    ['{{ env.EMPTY }}', ''],
    ['{{root}}/a', '/srv/{{root}}/a'],
    ['{{\troot }}{{runtime.python}}', '/srv/{{root}}/venv/bin/python'],
    ['{{{{root}}', '{{root}}'],
    ['{{{{{root}}', '{{{root}}'],
    ['$${{root}}', '${{root}}'],
    [
      '{root} {{}} {{ }} {{.Names}} {{json .}} {{1}} {{a|b}} {% x %}',
      '{root} {{}} {{ }} {{.Names}} {{json .}} {{1}} {{a|b}} {% x %}',
    ],
  ])('%j becomes %j', (text, expanded) => {
    expect(expand(text)).toMatchObject({ text: expanded, faults: [] });
  });

  test('an unset variable is a fault with its position, and the text stays', () => {
    expect(expand('a ${NOBODY} ${env:UNSET} {{env.NOBODY}}')).toEqual({
      text: 'a ${NOBODY} ${env:UNSET} {{env.NOBODY}}',
      faults: [
        { code: 'unset-variable', variable: 'NOBODY', expression: '${NOBODY}', offset: 2 },
        { code: 'unset-variable', variable: 'UNSET', expression: '${env:UNSET}', offset: 12 },
        { code: 'unset-variable', variable: 'NOBODY', expression: '{{env.NOBODY}}', offset: 25 },
      ],
    });
  });

  test.each(['${}', '${1A}', '${A B}', '${input:token}', '${env:}', '${A-b}', '${A', '${${HOME}}'])(
    '%s is malformed and stays unchanged',
    (text) => {
      const expanded = expand(text);
      expect(expanded.faults[0]).toMatchObject({ code: 'malformed', offset: 0 });
      expect(expanded.text).toBe(text);
    },
  );

  test.each([
    ['${NOBODY:-${HOME}}', '${NOBODY:-${HOME}'],
    ['${HOME:-${NOBODY}}', '${HOME:-${NOBODY}'],
    ['${HOME:-a$${HOME}', '${HOME:-a$${HOME}'],
    ['${NOBODY:-{{root}}}', '${NOBODY:-{{root}'],
    ['${NOBODY:-{{json .}}}', '${NOBODY:-{{json .}'],
  ])('the default in %s seems to contain a template, and stays unchanged', (text, expression) => {
    expect(expand(`a ${text}`)).toEqual({
      text: `a ${text}`,
      faults: [{ code: 'malformed', expression, offset: 2 }],
    });
  });

  test.each(['{{root}', '{{root', '{{ root | upper }}', '{{runtime.', '{{env.HOME}'])(
    '%s is an unclosed known template, malformed, and stays unchanged',
    (text) => {
      const expanded = expand(text);
      expect(expanded.faults).toMatchObject([{ code: 'malformed', offset: 0 }]);
      expect(expanded.text).toBe(text);
    },
  );

  test('an unknown place is a fault', () => {
    expect(expand('a {{runtime.node}}').faults).toEqual([
      { code: 'unset-place', place: 'runtime.node', expression: '{{runtime.node}}', offset: 2 },
    ]);
    expect(expandTemplate('{{root}}', {}).faults).toMatchObject([{ code: 'unset-place', place: 'root' }]);
  });

  test.each([
    ['{{rot}}', 'root'],
    ['{{ROOT}}', 'root'],
    ['{{python}}', 'runtime.python'],
    ['{{runtime.pyhton}}', 'runtime.python'],
    ['{{HOME}}', 'env.HOME'],
    ['{{env:HOME}}', 'env.HOME'],
    ['{{ENV.HOME}}', 'env.HOME'],
    ['{{weather}}', undefined],
    ['{{env.1}}', undefined],
  ])('%s is not a template; suggests %s', (text, didYouMean) => {
    const { faults, text: expanded } = expand(text);
    expect(expanded).toBe(text);
    expect(faults).toMatchObject([{ code: 'unknown-template', didYouMean, offset: 0, expression: text }]);
  });

  test('only own properties count', () => {
    expect(expand('${toString}${__proto__}').faults.map((fault) => fault.code)).toEqual([
      'unset-variable',
      'unset-variable',
    ]);
  });
});

describe('properties of expandTemplate', () => {
  const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,5}$/);
  const values = fc.dictionary(name, fc.string());

  const given = fc.record({ root: fc.string(), 'runtime.python': fc.string(), 'runtime.node': fc.string() });
  const pieces = ['$', '{', '}', '{{', '}}', '${', 'A', ':-', 'env:', 'env.A', 'root', 'runtime.node', ' ', '.'];
  const templateText = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(''));

  test('a text without an opener stays unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), templateText), values, given, (text, variables, places) => {
        fc.pre(!text.includes('${') && !text.includes('{{'));
        expect(expandTemplate(text, variables, places)).toEqual({ text, faults: [] });
      }),
    );
  });

  test('expanding an escaped text restores it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), templateText), values, given, (text, variables, places) => {
        expect(expandTemplate(escapeTemplate(text), variables, places)).toEqual({ text, faults: [] });
      }),
      { numRuns: 2_000 },
    );
  });

  test('the parts of any text form the text, at their offsets', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), templateText), (text) => {
        const parts = parseTemplate(text);
        expect(parts.map((part) => part.expression).join('')).toBe(text);
        for (const { expression, offset } of parts) {
          expect(expression).not.toBe('');
          expect(text.slice(offset, offset + expression.length)).toBe(expression);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('a text has no fault exactly if all its templates are expanded', () => {
    fc.assert(
      fc.property(templateText, (text) => {
        const { faults, text: expanded } = expandTemplate(text, {}, {});
        const open = parseTemplate(text).filter((part) => part.kind !== 'text' && !('default' in part));
        expect(faults.map((fault) => fault.expression)).toEqual(open.map((part) => part.expression));
        if (open.length === parseTemplate(text).length) expect(expanded).toBe(text);
      }),
    );
  });

  test('a value is inserted unchanged, even if it looks like a template', () => {
    fc.assert(
      fc.property(
        name,
        fc.string(),
        fc.constantFrom('', '${A}', '$', '$${', '{{root}}', '{{{{'),
        (variable, start, end) => {
          const value = start + end;
          for (const template of [
            `\${${variable}}`,
            `\${env:${variable}}`,
            `\${${variable}:-x}`,
            `{{env.${variable}}}`,
          ]) {
            fc.pre(value !== '');
            expect(expandTemplate(`<${template}>`, { [variable]: value }).text).toBe(`<${value}>`);
          }
          expect(expandTemplate('{{root}}', {}, { root: value }).text).toBe(value);
        },
      ),
    );
  });

  test('every fault has its offset', () => {
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

const keptPlaces = { root: '/srv/app', 'runtime.python': '/srv/${venv}/python' };
const keep = (text: string) => keepVariables(text, keptPlaces);

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

  test('reports faults at their offset', () => {
    expect(keep('a {{runtime.node}} {{rot}} ${A').faults).toMatchObject([
      { code: 'unset-place', offset: 2 },
      { code: 'unknown-template', offset: 19, didYouMean: 'root' },
      { code: 'malformed', offset: 27 },
    ]);
  });

  test('rejects a reference after a "$" from a place, because it would read as an escape', () => {
    expect(keepVariables('{{root}}${A}', { root: '/srv/a$' }).faults).toMatchObject([{ code: 'malformed', offset: 8 }]);
  });
});
