// Child process of a fake server over stdio. Argument: the folder with its script and history.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileHistory } from './fake-server/fake-history.js';
import { resolveScript } from './fake-server/resolve-script.js';
import { serveStdio } from './fake-server/serve-stdio.js';
import { historyFile, scriptFile } from './fake-server/server-folder.js';

const [, , folder = ''] = process.argv;
serveStdio(
  resolveScript(JSON.parse(readFileSync(join(folder, scriptFile), 'utf8'))),
  new FileHistory(join(folder, historyFile)),
);
