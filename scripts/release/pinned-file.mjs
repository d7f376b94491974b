// Files that say what is published, made from what was built and checked in, so that a review sees each change of it.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { root } from '../root.mjs';

/** Compares `text` with what is checked in and fails with what came and went. With `write` it is checked in instead. */
export async function comparePinned(file, text, { write = false } = {}) {
  if (write) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return;
  }
  const pinned = (await readFile(file, 'utf8').catch(() => '')).replaceAll('\r\n', '\n');
  if (pinned === text) return;
  const [before, after] = [placed(pinned), placed(text)];
  const changes = [
    ...missing(before, after).map((line) => `- ${line}`),
    ...missing(after, before).map((line) => `+ ${line}`),
  ];
  const name = relative(root, file).replaceAll('\\', '/');
  throw new Error(
    `${name} says otherwise:\n${changes.join('\n') || 'the same lines in another order'}\n` +
      'If that was meant, run `npx -y pnpm@12.21.0 run check:packages --write` and tell users of it in a changeset.',
  );
}

/** The lines of a text, an indented one with the line that it belongs to. */
function placed(text) {
  let heading = '';
  return text.split('\n').map((line) => {
    if (/^\s/.test(line)) return `${heading} … ${line.trim()}`;
    if (/^\w/.test(line)) heading = line;
    return line;
  });
}

/** The lines that `other` does not have, or has less often. */
function missing(lines, other) {
  const left = new Map();
  for (const line of other) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}
