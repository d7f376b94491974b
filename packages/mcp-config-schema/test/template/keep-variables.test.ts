// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tests use such strings
import { describe, expect, test } from 'vitest';
import { keepVariables } from '../../src/index.js';

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
