import { expect, test } from 'vitest';
import { barText, progressBar } from '../../../src/output/live/progress-bar.js';

test.each([
  [{ progress: 1, total: 4, message: 'reading' }, '[██████                  ] 25 % reading'],
  [{ progress: 9, total: 4 }, `[${'█'.repeat(24)}] 100 %`],
  [{ progress: -1, total: 4 }, `[${' '.repeat(24)}] 0 %`],
  [{ progress: 7, message: 'pages' }, '7 pages'],
  [{ progress: 0, total: 0 }, '0'],
  [{ progress: Number.NaN }, '…'],
])('%j is %s', (progress, text) => {
  expect(barText(progress)).toBe(text);
});

test('draws one line of a terminal and erases it', () => {
  let written = '';
  const stderr = { write: (text: string) => (written += text), isTTY: true, columns: 20 };
  {
    using bar = progressBar({ stderr });
    bar.show({ progress: 1, message: 'a message that is longer than that' });
  }
  expect(written).toBe('\r\u001b[2K1 a message that is\r\u001b[2K');
});

test('draws nothing without a terminal', () => {
  let written = '';
  using bar = progressBar({ stderr: { write: (text: string) => (written += text) } });
  bar.show({ progress: 1 });
  expect(written).toBe('');
});
