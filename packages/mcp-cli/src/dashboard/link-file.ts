import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes a page that redirects to the link. Every user of the machine can read the browser's command line, but not this
 * file.
 *
 * @param directory - Private to this user.
 * @returns The path of the file.
 */
export async function writeLinkFile(directory: string, url: string): Promise<string> {
  const file = join(directory, `dashboard-${randomBytes(8).toString('hex')}.html`);
  await writeFile(file, linkPage(new URL(url)), { mode: 0o600, flag: 'wx' });
  return file;
}

export async function removeLinkFile(file: string): Promise<void> {
  await rm(file, { force: true });
}

/** A `URL` contains no character that ends an attribute. */
function linkPage({ href }: URL): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${href}">
<title>mcpx dashboard</title>
<p><a href="${href}">Open the dashboard</a></p>
</html>
`;
}
