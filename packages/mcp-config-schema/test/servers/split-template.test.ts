import { describe, expect, test } from 'vitest';
import { splitTemplate } from '../../src/servers/split-template.js';

describe('a template is not split', () => {
  test.each([
    ['node {{ root }}/x.js', ['node', '{{ root }}/x.js']],
    ['{{\troot }}/a "{{ env.A }} b"', ['{{\troot }}/a', '{{ env.A }} b']],
    ['x --at={{ env.A }} {{ rot }}', ['x', '--at={{ env.A }}', '{{ rot }}']],
    ['x {{{{ root }} {{json .}}', ['x', '{{{{', 'root', '}}', '{{json', '.}}']],
    ['x \uE000 {{ root }} \uE001', ['x', '\uE000', '{{ root }}', '\uE001']],
  ])('%j', (command, words) => {
    expect(splitTemplate(command)).toMatchObject({ words });
  });
});

test('any long text is split or rejected quickly', () => {
  for (const piece of ['a ', '"', "'", '\\', `"'`, '"\\a', '{{ root }} ', '$"']) {
    expect(() => splitTemplate(piece.repeat(200_000 / piece.length))).not.toThrow();
  }
});
