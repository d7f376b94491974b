import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../run.mjs';

/** The names of the changesets that no release has taken yet. */
export async function waitingChangesets(workspace) {
  const files = await readdir(join(workspace, '.changeset'));
  return files.filter((file) => file.endsWith('.md') && file !== 'README.md').map((file) => file.slice(0, -3));
}

/** What publishing would do with each packed package, as lines to print. */
export async function planRelease(packed, workspace) {
  const tag = await distTag(workspace);
  const plans = await Promise.all(packed.map((each) => planPackage(each, tag)));
  return { isNeeded: plans.some(({ isNew }) => isNew), lines: plans.flatMap(({ lines }) => lines) };
}

async function planPackage({ name, manifest: { version }, source }, tag) {
  const isNew = !(await isPublished(name, version));
  if (!isNew) return { isNew, lines: [`\n${name} ${version} is in the registry already`] };
  const entry = await changelogEntry(source, version);
  return { isNew, lines: [`\n${name} ${version} is new, under the tag ${tag}`, ...entry.map((line) => `  ${line}`)] };
}

/** While changesets is in its pre-release mode it publishes under that mode's tag. */
async function distTag(workspace) {
  const text = await readFile(join(workspace, '.changeset', 'pre.json'), 'utf8').catch(() => '{}');
  const { mode, tag } = JSON.parse(text);
  return mode === 'pre' ? tag : 'latest';
}

/** Asks the registry that npm is configured with. What it has no word of is not published. */
async function isPublished(name, version) {
  try {
    const { stdout } = await run('npm', ['view', `${name}@${version}`, 'version', '--json'], { timeoutMs: 60_000 });
    return stdout.trim() !== '';
  } catch (error) {
    if (/\bE404\b/.test(error.message)) return false;
    throw error;
  }
}

/** The lines of CHANGELOG.md below the heading of a version. */
async function changelogEntry(source, version) {
  const text = await readFile(join(source, 'CHANGELOG.md'), 'utf8').catch(() => '');
  const entry = text.split(/^## /m).find((part) => part.startsWith(`${version}\n`)) ?? '';
  return entry.slice(version.length).trim().split('\n');
}
