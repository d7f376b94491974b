import { expect, test } from 'vitest';
import { LiveText } from '../../../src/output/live/live-text.js';

function stage(rows = 24) {
  const written: string[] = [];
  return { written, stream: { write: (text: string) => written.push(text), isTTY: true, columns: 80, rows } };
}

test('redraws in place, and only after a change', () => {
  const { written, stream } = stage();
  {
    using text = new LiveText(stream);
    text.show('one\ntwo\n');
    text.show('one\ntwo\n');
    text.show('three\n');
  }
  expect(written).toEqual([
    '\u001b[?25l\u001b[?7l',
    '\u001b[Jone\ntwo\n',
    '\r\u001b[2A\u001b[Jthree\n',
    '\u001b[?7h\u001b[?25h',
  ]);
});

test('is cut to the rows that the terminal can redraw', () => {
  const { written, stream } = stage(6);
  using text = new LiveText(stream);
  text.show(['1', '2', '3', '4', '5', '6'].join('\n'));
  expect(written[1]).toBe('\u001b[J1\n2\n3\n… and 3 more\n');
});
