import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

type Run = (argv: readonly string[], io: object) => Promise<number>;

/** Writes down what the built package answers to questions that depend on the words alone; see `src/command-line/prepared-answer.ts`. */
export async function prepareAnswers(dist: string): Promise<void> {
  const { run }: { run: Run } = await import(pathToFileURL(resolve(dist, 'index.js')).href);
  const folder = join(dist, 'prepared');
  await mkdir(folder, { recursive: true });
  for (const columns of [80, 100]) {
    await writeFile(join(folder, `help-${columns}.txt`), await answer(run, '--help', columns));
  }
  await writeFile(join(folder, 'version.txt'), await answer(run, '--version', 80));
}

async function answer(run: Run, word: string, columns: number): Promise<string> {
  const texts: string[] = [];
  const stream = { columns, write: (text: string) => texts.push(text) };
  const exitCode = await run([word], { stdout: stream, stderr: stream, env: {} });
  if (exitCode !== 0) throw new Error(`mcpx ${word} ended with ${exitCode}: ${texts.join('')}`);
  return texts.join('');
}
