import { isOwnGateway } from '@x/internal/launch';
import type { ConfigFile } from '../config-file.js';
import { commandWords } from './command-words.js';

export function checkGateway(files: readonly ConfigFile[]): void {
  for (const { source, section, serverParts } of files) {
    for (const [name, entry] of serverParts) {
      const variables = Object.keys(entry.env ?? {});
      const headers = Object.keys(entry.headers ?? {});
      if (!isOwnGateway({ words: commandWords(entry), variables, headers })) continue;
      const message = 'This server is a gateway of mcpx. mcpx leaves it out, because it would start itself';
      const hint = 'keep the entry in a file that only other apps read, or remove it';
      source.report({ code: 'own-gateway', severity: 'warning', message, hint }, [section, name]);
    }
  }
}
