// Runs the checks of one file in a folder of their own each, and writes a report after each one.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const timeoutMs = 180_000;
const [file, reportFile] = process.argv.slice(2);
const { checks } = await import(`./${file}`);
const results = [];
for (const [name, check] of Object.entries(checks)) {
  const folder = mkdtempSync(join(tmpdir(), 'check-'));
  const begun = performance.now();
  const problem = await problemOf(() => check(folder));
  results.push({ name, problem, ms: Math.round(performance.now() - begun) });
  writeFileSync(reportFile, JSON.stringify({ version: process.version, results }));
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {} // a process that a failed check has left may keep it
}
process.exit();

/** `undefined` when it succeeds in time. */
async function problemOf(check) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, timeoutMs, `It took more than ${timeoutMs / 1_000} s`);
  });
  try {
    return await Promise.race([check().then(() => undefined), late]);
  } catch (error) {
    return error instanceof Error ? error.stack : String(error);
  } finally {
    clearTimeout(timer);
  }
}
