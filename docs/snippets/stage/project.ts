import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Makes a new folder with these files the working directory and the home of this program, so that it meets nobody's own
 * configuration. The folder is gone when the program ends.
 */
export function openProject(files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-snippet-')));
  process.once('exit', () => {
    process.chdir(tmpdir());
    rmSync(folder, { recursive: true, force: true });
  });
  process.chdir(folder);
  Object.assign(process.env, { HOME: folder, USERPROFILE: folder, APPDATA: folder });
  delete process.env.XDG_CONFIG_HOME;
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return folder;
}
