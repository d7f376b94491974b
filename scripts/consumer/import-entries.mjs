// Loads every entry that it is given, with import and with require(), and expects both to offer the same names.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** Entries whose types are all that they have. */
const typesOnly = ['audit', 'sources', 'search'].map((entry) => `@x/mcp-registry/${entry}`);
const faults = [];

for (const entry of process.argv.slice(2)) {
  const imported = await tried(`import('${entry}')`, () => import(entry));
  const required = await tried(`require('${entry}')`, () => require(entry));
  if (imported === undefined || required === undefined) continue;
  const [byImport, byRequire] = [imported, required].map((module) => Object.keys(module).sort().join(', '));
  if (byImport !== byRequire) faults.push(`${entry}: import offers ${byImport}, require() offers ${byRequire}`);
  if ((byImport === '') !== typesOnly.includes(entry)) faults.push(`${entry} exports ${byImport || 'nothing'}`);
}

if (faults.length > 0) {
  process.stderr.write(`Node ${process.version}\n${faults.join('\n')}\n`);
  process.exitCode = 1;
}

async function tried(what, load) {
  try {
    return await load();
  } catch (error) {
    faults.push(`${what} failed: ${error instanceof Error ? error.stack : error}`);
    return undefined;
  }
}
