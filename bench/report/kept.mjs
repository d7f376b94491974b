import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('../results/', import.meta.url);

/** Writes down what a script printed, and under which circumstances. */
export function keep(name, facts, output) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(name), writeKept(facts, output));
}

/** What was kept last, or `undefined`. */
export function readKeptOf(name) {
  return existsSync(fileOf(name)) ? readKept(readFileSync(fileOf(name), 'utf8')) : undefined;
}

/** Facts as lines between two `---`, and below them the output as it was. */
export function writeKept(facts, output) {
  const lines = Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${String(value).replaceAll('\n', ' ')}`);
  return ['---', ...lines, '---', '', output.trim(), ''].join('\n');
}

/** @returns {{ facts: Record<string, string>, output: string }} */
export function readKept(text) {
  const parts = /^---\n(?<head>(?:.*\n)*?)---\n(?<output>[\s\S]*)$/.exec(text);
  if (parts === null) throw new Error('A kept result begins with its facts between two lines of ---');
  const facts = parts.groups.head
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]);
  return { facts: Object.fromEntries(facts), output: parts.groups.output.trim() };
}

function fileOf(name) {
  return fileURLToPath(new URL(`${name}.md`, folder));
}
