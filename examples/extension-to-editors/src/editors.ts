import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type HostPlace, hostPaths } from '@x/mcp-host-sync';

/** The files as their owner keeps them, with comments, tabs, CRLF and whatever else people and editors leave there. */
const originals: Readonly<Record<string, string>> = {
  'cursor-user': `{
  // Mine. Please leave it as it is!
  "mcpServers": {
    "db": { "command": "uvx",   "args": ["db-mcp"] },   // three spaces, on purpose
    "files": { "command": "npx", "args": ["-y", "files-mcp"] }
  }
}
`,
  'vscode-user': [
    '{',
    '\t"inputs": [ { "id": "key", "type": "promptString", "password": true } ],',
    '\t"servers": {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code asks for it
    '\t\t"search": { "type": "http", "url": "https://example.com/mcp", "headers": { "X-Key": "${input:key}" } },',
    '\t},',
    '}',
    '',
  ].join('\r\n'),
  'codex-user': `# Codex
model   = "o9"            # aligned by hand

[mcp_servers.db]
command = 'uvx'
args = [ "db-mcp", ]      # a trailing comma
`,
};

export const hosts = Object.keys(originals);

/** An editor's file: the first path where it looks. */
function fileOf(host: string, place: HostPlace): string {
  const [first] = hostPaths(host, place);
  if (first === undefined) throw new Error(`${host} has no file on this system`);
  return first.path;
}

/** What the files hold right now, byte for byte. */
export function readFiles(place: HostPlace): Promise<readonly Buffer[]> {
  return Promise.all(hosts.map((host) => readFile(fileOf(host, place))));
}

export async function setUpEditors(place: HostPlace): Promise<void> {
  for (const [host, text] of Object.entries(originals)) {
    const file = fileOf(host, place);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
