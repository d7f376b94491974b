import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { Io } from '../../src/command.js';

/** Streams of a terminal of 100 columns, on which a user types an answer once its question is shown. */
export function answeringTerminal(answers: readonly (readonly [question: string, key: string])[]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  const waiting = [...answers];
  let seen = '';
  let all = '';
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 30 });
  stderr.on('data', (text: Buffer) => {
    const more = stripVTControlCharacters(text.toString());
    all += more;
    seen += more;
    const [next] = waiting;
    if (next === undefined || !seen.includes(next[0])) return;
    waiting.shift();
    seen = '';
    setImmediate(() => stdin.write(next[1])); // the prompt listens once it is drawn
  });
  return { streams: { stdin, stderr } as unknown as Partial<Io>, unanswered: waiting, shown: () => all };
}
